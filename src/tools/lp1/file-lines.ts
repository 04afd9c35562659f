import type { ContentFailure } from './lp1-error.ts'

export type LineEnding = '\n' | '\r\n'

/**
 * A text file as lines. `endings` is parallel to `texts`; only the last line may have none, and an empty last line
 * without one does not exist, so equal bytes always give equal values.
 */
export type FileLines = {
  readonly hasBom: boolean
  readonly texts: readonly string[]
  readonly endings: readonly (LineEnding | '')[]
}

export type ReadFileLinesResult = { readonly ok: true; readonly file: FileLines } | ContentFailure
export type SplitTextResult = { readonly ok: true; readonly texts: readonly string[] } | ContentFailure

const BOM = '\uFEFF'

/** Reads a file's bytes as lines; writing the result gives the same bytes. */
export function readFileLines(bytes: Uint8Array): ReadFileLinesResult {
  const text = decodeUtf8(bytes)
  if (text === undefined) return invalidUtf8(lineOfInvalidUtf8(bytes))
  const hasBom = text.startsWith(BOM)
  const split = splitLines(hasBom ? text.slice(1) : text)
  return split.ok ? { ok: true, file: { hasBom, texts: split.texts, endings: split.endings } } : split
}

/** The bytes of a file. */
export function writeFileLines(file: FileLines): Uint8Array {
  const body = joinLines(file)
  return new TextEncoder().encode(file.hasBom ? BOM + body : body)
}

/** Most files have one kind of ending, and those are joined at once. */
function joinLines({ texts, endings }: FileLines): string {
  const [first = ''] = endings
  const last = endings.length - 1
  const isUniform = endings.every((ending, index) => ending === first || index === last)
  if (isUniform) return texts.join(first) + (endings[last] ?? '')
  return texts.map((text, index) => text + (endings[index] ?? '')).join('')
}

/** Splits text that will become lines of a file; a newline at its end does not begin another line. */
export function splitTextLines(text: string): SplitTextResult {
  if (!text.isWellFormed()) {
    const before = text.slice(0, indexOfLoneSurrogate(text))
    return invalidUtf8(before.split('\n').length)
  }
  const split = splitLines(text)
  return split.ok ? { ok: true, texts: split.texts } : split
}

/** Whether the bytes end in a newline; an empty file's do not. */
export function endsInNewline(file: FileLines): boolean {
  return (file.endings.at(-1) ?? '') !== ''
}

/** The ending for new lines: the more frequent one in the file, LF on a tie. */
export function majorityEnding(file: FileLines): LineEnding {
  let lead = 0
  for (const ending of file.endings) if (ending !== '') lead += ending === '\n' ? 1 : -1
  return lead < 0 ? '\r\n' : '\n'
}

/** The number of the first line whose ending differs from that of line 1, if there is one. */
export function findMixedEnding(file: FileLines): number | undefined {
  const index = file.endings.findIndex((ending) => ending !== '' && ending !== file.endings[0])
  return index < 0 ? undefined : index + 1
}

/** Whether two files have the same bytes. */
export function areSameLines(one: FileLines, other: FileLines): boolean {
  return (
    one.hasBom === other.hasBom &&
    one.texts.length === other.texts.length &&
    one.texts.every((text, index) => text === other.texts[index]) &&
    one.endings.every((ending, index) => ending === other.endings[index])
  )
}

/** Lines before they are written: an ending of `''` is still undecided. */
export type LooseLines = {
  readonly hasBom: boolean
  readonly texts: readonly string[]
  readonly endings: readonly (LineEnding | '')[]
  readonly endsInNewline: boolean
  readonly newEnding: LineEnding
}

/** Gives every line its ending, so that the result is what reading its own bytes would give. */
export function sealLines(loose: LooseLines): FileLines {
  const texts = [...loose.texts]
  const endings = loose.endings.map((ending) => (ending === '' ? loose.newEnding : ending))
  // If the first line begins with U+FEFF, it is written as a byte order mark.
  const becomesBom = !loose.hasBom && texts[0]?.startsWith(BOM) === true
  if (becomesBom) texts[0] = texts[0]?.slice(1) ?? ''
  const hasBom = loose.hasBom || becomesBom
  if (loose.endsInNewline || texts.length === 0) return { hasBom, texts, endings }
  endings.pop()
  if (texts.at(-1) !== '') return { hasBom, texts, endings: [...endings, ''] }
  texts.pop()
  return { hasBom, texts, endings }
}

type Split = { readonly ok: true; readonly texts: string[]; readonly endings: (LineEnding | '')[] }

function splitLines(text: string): Split | ContentFailure {
  const texts: string[] = []
  const endings: (LineEnding | '')[] = []
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    const isCrlf = newline > start && text.charAt(newline - 1) === '\r'
    const line = text.slice(start, isCrlf ? end - 1 : end)
    if (line.includes('\r')) return bareCr(texts.length + 1)
    texts.push(line)
    endings.push(newline < 0 ? '' : isCrlf ? '\r\n' : '\n')
    start = end + 1
  }
  return { ok: true, texts, endings }
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function lineOfInvalidUtf8(bytes: Uint8Array): number {
  let line = 1
  for (let start = 0; start < bytes.length; line += 1) {
    const newline = bytes.indexOf(0x0a, start)
    const end = newline < 0 ? bytes.length : newline
    if (decodeUtf8(bytes.subarray(start, end)) === undefined) return line
    start = end + 1
  }
  return line
}

/** The index of the first lone surrogate, or the length of the text. */
export function indexOfLoneSurrogate(text: string): number {
  const repaired = text.toWellFormed()
  let index = 0
  while (index < text.length && text.charCodeAt(index) === repaired.charCodeAt(index)) index += 1
  return index
}

function invalidUtf8(line: number): ContentFailure {
  const message = `Line ${line} contains bytes that are not UTF-8; only UTF-8 text can be edited by lines.`
  return { ok: false, code: 'invalid_utf8', line, message }
}

function bareCr(line: number): ContentFailure {
  const message = `Line ${line} contains a carriage return without a newline, so it cannot be edited by lines.`
  return { ok: false, code: 'bare_cr', line, message }
}
