const ASCII = /^[\0-\x7f]*$/
/** File systems that fold names pass over these: a name that contains one opens the plain name. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu

/** Text in a form that is the same for all spellings that a file system may take for one name. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  const plain = text.replaceAll(IGNORED, '').normalize('NFD')
  // Full case folding: the capital sharp s has to be lower case before it becomes two letters, the long s upper case.
  const folded = plain.toLowerCase().toUpperCase().toLowerCase()
  return folded.replaceAll('ς', 'σ').normalize('NFC')
}
