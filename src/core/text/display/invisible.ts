import { nameCharacter } from './character-names.ts'
import { HIDDEN_OR_LONE_RETURN, isSpelling } from './hidden.ts'
import { createLocator } from '../position.ts'

type Run = { readonly offset: number; readonly point: number; end: number; count: number }

const isTag = (point: number): boolean => point >= 0xe0000 && point <= 0xe007f
const isSupplementSelector = (point: number): boolean => point >= 0xe0100 && point <= 0xe01ef

/** Hidden messages are written in tags and selectors: such a run is one finding, as is a repeated character. */
const isAlike = (one: number, other: number): boolean =>
  one === other || (isTag(one) && isTag(other)) || (isSupplementSelector(one) && isSupplementSelector(other))

const codeOf = (point: number): string => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`

const NONE: readonly never[] = []

/**
 * Names the invisible, bidi and control characters of a text by line, column (code points from 1) and code point, in
 * at most `max` notes; a last note counts the characters left out. `firstLine` is the number of the text's first line
 * in its file. Tabs, line ends, a byte order mark at the start, and joiners and selectors that are part of ordinary
 * spelling are not reported.
 */
export const invisibleNotes = (
  text: string,
  { max, firstLine = 1 }: { readonly max: number; readonly firstLine?: number },
): readonly string[] => {
  if (text.search(HIDDEN_OR_LONE_RETURN) === -1) return NONE
  const runs: Run[] = []
  let last: Run | undefined
  let leftOut = 0
  for (const match of text.matchAll(HIDDEN_OR_LONE_RETURN)) {
    const point = match[0].codePointAt(0) ?? 0
    const offset = match.index
    const isByteOrderMark = point === 0xfeff && offset === 0 && firstLine === 1
    if (isByteOrderMark || isSpelling(text, offset)) continue
    const end = offset + match[0].length
    if (last !== undefined && last.end === offset && isAlike(last.point, point)) {
      last.end = end
      last.count += 1
    } else if (runs.length < max) {
      last = { offset, point, end, count: 1 }
      runs.push(last)
    } else leftOut += 1
  }
  const locate = createLocator(text)
  const notes = runs.map(({ offset, point, count }) => {
    const { line, column } = locate(offset)
    const times = count === 1 ? '' : ` and ${count - 1} more right after it`
    return `line ${firstLine + line - 1}, column ${column}: ${codeOf(point)} ${nameCharacter(point)}${times}`
  })
  return leftOut === 0 ? notes : [...notes, `and ${leftOut} more`]
}
