const ASCII = /^[\0-\x7f]*$/
/** Some file systems pass over these in a name: with one of them inside, it still opens the plain name. */
const IGNORED = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g
/** Windows drops these at the end of a name. */
const DROPPED = /[. ]+$/

/** A piece of a name without case, in composed form. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  // Up before down: some small letters, like the long s, have their plain form only that way.
  return text.replaceAll(IGNORED, '').normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

/** A name in the one form in which all spellings that may open the same file are equal. */
export function foldName(name: string): string {
  const folded = foldText(name)
  return folded.endsWith('.') || folded.endsWith(' ') ? folded.replace(DROPPED, '') : folded
}
