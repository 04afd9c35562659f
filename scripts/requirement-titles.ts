/** The requirement ids a test's title claims, and what is wrong with the way it claims them. */
export interface TitleClaims {
  readonly ids: readonly string[]
  readonly faults: readonly string[]
}

/** Reads the ids before the first `: ` of a title; whole ids only, so RULE 1 is never found in RULE 11. */
export function readTitle(title: string, known: ReadonlySet<string>): TitleClaims {
  const end = title.indexOf(': ')
  if (end === -1) {
    const [first = ''] = /^(?:RULE \d+|[^\s,:]+)/.exec(title) ?? []
    return { ids: [], faults: known.has(first) ? [`${first} must be followed by ": " and a sentence`] : [] }
  }
  const pieces = title.slice(0, end).split(', ')
  const ids = pieces.filter((piece) => known.has(piece))
  const strangers = pieces.filter(
    (piece) => !known.has(piece) && (ids.length > 0 || looksLikeId(piece, known)),
  )
  return { ids, faults: strangers.map((piece) => `${JSON.stringify(piece)} is not a requirement's id`) }
}

/** Whether a word begins like the ids do (`FR-`, `LD/`, `RULE 7`), so that a misspelt one is not taken for prose. */
function looksLikeId(piece: string, known: ReadonlySet<string>): boolean {
  const [, family = '', mark = ''] = /^\s*([A-Za-z]+)([-/ ])(?:\S+|.*,.*)\s*$/.exec(piece) ?? []
  if (family === '') return false
  const begin = `${family}${mark}`.toUpperCase()
  return known.values().some((id) => id.toUpperCase().startsWith(begin))
}
