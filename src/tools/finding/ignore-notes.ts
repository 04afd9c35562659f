import { rowPath } from '../rendering/row-path.ts'

/** Real ignore files are smaller. */
export const MAX_IGNORE_BYTES = 262_144

/** Each 32 of them take a step for each character of each name; two thousand patterns with wildcards have about so many. */
export const MAX_WILD_CHARACTERS = 32_768

/** The most ignore files that are named; the others are counted. */
const MAX_NAMED = 5

/** Collects ignore files that could not be honoured, because then more is found than their author wanted. */
export interface IgnoreNotes {
  readonly addUnread: (path: string) => void
  readonly addPartly: (path: string) => void
  readonly addCostly: (path: string) => void
  /** One sentence for each file, as a field of the output; no field if there are none. */
  readonly field: () => { readonly notes?: readonly string[] }
}

/** Creates a collection for one call. */
export function createIgnoreNotes(): IgnoreNotes {
  const known = new Map<string, string>()
  const add = (path: string, what: string): void => {
    if (!known.has(path)) known.set(path, known.size < MAX_NAMED ? `${rowPath(path)} ${what}` : '')
  }
  return {
    addUnread: (path) =>
      add(
        path,
        'was not honoured, because it is not a regular file that may be read; files it names are found too.',
      ),
    addPartly: (path) =>
      add(
        path,
        `was honoured only in its first ${MAX_IGNORE_BYTES} bytes, the limit for an ignore file; files that later lines name are found too.`,
      ),
    addCostly: (path) =>
      add(
        path,
        `was honoured only in its first lines, because its patterns with wildcards have more than ${MAX_WILD_CHARACTERS} characters together; files that later lines name are found too.`,
      ),
    field() {
      if (known.size === 0) return {}
      const named = [...known.values()].slice(0, MAX_NAMED)
      const left = known.size - named.length
      const rest = left === 0 ? [] : [`${left} more ignore files were not honoured completely.`]
      return { notes: [...named, ...rest] }
    },
  }
}
