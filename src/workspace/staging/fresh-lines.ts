import type { IntendedPlace, LineRange } from '../../core/powers.ts'

/** Lines of a file as they are now. */
export interface FreshLines {
  readonly text: string
  readonly range: LineRange
  readonly isWhole: boolean
}

/** Lines shown before and after the intended place. */
const CONTEXT_LINES = 5
/** The most lines shown of a file that is too large to be shown completely. */
const MAX_LINES = 60

/** The part of a file that a refused change was meant for, or all of a small file; null if it is not text. */
export function showFresh(bytes: Uint8Array, place: IntendedPlace, wholeBytes: number): FreshLines | null {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  if (bytes.length <= wholeBytes)
    return { text, range: { start_line: 1, end_line: lines.length }, isWhole: true }
  const [first, last] = findPlace(lines, place)
  const start = Math.max(1, first - CONTEXT_LINES)
  const end = Math.min(lines.length, Math.max(last, first) + CONTEXT_LINES, start + MAX_LINES - 1)
  const shown = takeFitting(lines.slice(start - 1, end), wholeBytes)
  if (shown.length === 0) return null
  return {
    text: shown.join(''),
    range: { start_line: start, end_line: start + shown.length - 1 },
    isWhole: false,
  }
}

/** As many of the lines as fit; possibly none, because a single line may be too long. */
function takeFitting(lines: readonly string[], maxBytes: number): readonly string[] {
  let left = maxBytes
  const tooLong = lines.findIndex((line) => {
    left -= Buffer.byteLength(line)
    return left < 0
  })
  return tooLong === -1 ? lines : lines.slice(0, tooLong)
}

/** The line numbers of the intended place: as given, or where the searched text begins now. */
function findPlace(
  lines: readonly string[],
  { lines: named, find }: IntendedPlace,
): readonly [number, number] {
  if (named !== undefined) return [named.start_line, named.end_line]
  for (const wanted of find ?? []) {
    const word = wanted.trim()
    if (word === '') continue
    const index = lines.findIndex((line) => line.trim() === word)
    if (index !== -1) return [index + 1, index + (find?.length ?? 1)]
  }
  return [1, 1]
}
