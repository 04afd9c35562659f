const MOST = 100_000

/** A list of hunks such as `1,3-5` or `1 3 4`; null if it is not one. */
export function parseHunks(text: string): readonly number[] | null {
  const parts = text.trim().split(/[\s,]+/)
  const hunks = new Set<number>()
  for (const part of parts) {
    const [, from, to = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? []
    if (from === undefined || Number(from) < 1 || Number(to) < Number(from) || Number(to) > MOST) return null
    for (let hunk = Number(from); hunk <= Number(to); hunk++) hunks.add(hunk)
  }
  return [...hunks].toSorted((one, other) => one - other)
}
