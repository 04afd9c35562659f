/** The known name that was most likely meant, or null if none is near. */
export function closestName(given: string, known: Iterable<string>): string | null {
  const wanted = given.slice(0, 100).toLowerCase()
  const lastPart = wanted.slice(wanted.lastIndexOf('.') + 1)
  let best: string | null = null
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const name of known) {
    const distance = Math.min(
      countEdits(wanted, name.toLowerCase()),
      isMisplaced(name, lastPart) ? 2 : Infinity,
    )
    if (distance < bestDistance) [best, bestDistance] = [name, distance]
  }
  return best
}

/** True for the right word in another section: a likelier slip than many single letters. */
function isMisplaced(name: string, lastPart: string): boolean {
  return lastPart.length > 3 && name.endsWith(`.${lastPart}`)
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one text to the other. */
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
