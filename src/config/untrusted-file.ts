import { parseGlob } from '../core/glob/parse.ts'

/** Far more than a project needs to tighten anything. */
const MOST_BYTES = 64 * 1024
const MOST_ENTRIES = 500

const ADVICE = 'make it shorter, or read it and run "tongs trust"'

/** What is too much in the file of a project that nobody trusts, and what to do about it; null if nothing is. */
export interface Excess {
  readonly message: string
  readonly hint: string
}

/** Whether a file is too long to be parsed: nobody has read it, and opening a folder must not take long. */
export function findExcessText(text: string): Excess | null {
  const bytes = new TextEncoder().encode(text).length
  if (bytes <= MOST_BYTES) return null
  return excess(`has ${bytes} bytes`, MOST_BYTES)
}

/** Whether it lists too much: each of its patterns is held against each name in the workspace, each rule against each call. */
export function findExcessEntries(table: unknown): Excess | null {
  const entries = countEntries(table)
  return entries <= MOST_ENTRIES ? null : excess(`has ${entries} entries in its lists`, MOST_ENTRIES)
}

function excess(has: string, most: number): Excess {
  return {
    message: `it ${has}, and the file of a project that is not trusted may have ${most}`,
    hint: ADVICE,
  }
}

/** The items of all lists; a pattern with braces counts as the patterns that it stands for. */
function countEntries(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (!Array.isArray(value)) return sum(Object.values(value).map(countEntries))
  return sum(value.map((item: unknown) => countItem(item) + countEntries(item)))
}

function countItem(item: unknown): number {
  if (typeof item !== 'string' || !item.includes('{')) return 1
  const parsed = parseGlob(item)
  return parsed.ok ? parsed.glob.alternatives.length : 1
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}
