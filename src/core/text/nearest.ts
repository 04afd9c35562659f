/** The candidate closest to a mistyped word, or null if none is close enough. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const wanted = word.slice(0, LONGEST).toLowerCase()
  const lastPart = wanted.slice(wanted.lastIndexOf('.') + 1)
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const candidate of candidates) {
    const name = candidate.toLowerCase()
    const edits = Math.abs(name.length - wanted.length) < bestDistance ? countEdits(wanted, name) : Infinity
    const distance = Math.min(edits, isMisplaced(name, lastPart) ? 2 : Infinity)
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance]
  }
  return best
}

const LONGEST = 100

/** True for the right word in the wrong section, as in `a.word` for `b.word`: a likelier mistake than several typos. */
function isMisplaced(name: string, lastPart: string): boolean {
  return lastPart.length > 3 && name.endsWith(`.${lastPart}`)
}

/** The number of insertions, deletions, replacements and swaps of adjacent characters between two texts. */
function countEdits(from: string, to: string): number {
  let before: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwap ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      )
    }
    before = previous
    previous = current
  }
  return previous[to.length] ?? 0
}
