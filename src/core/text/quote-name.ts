import { toJsonLine } from './escape-json.ts'

/** A name that somebody else chose, as part of a sentence of ours: bare if it is plain, otherwise quoted. */
export function quoteName(name: string): string {
  return /^[\w@%+=:,./-]+$/.test(name) ? name : toJsonLine(name)
}
