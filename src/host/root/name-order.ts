import type { FolderEntry } from './root.ts'

const SLASH = 0x2f

/** Orders text by code point, where plain comparison puts characters beyond U+FFFF before U+E000 to U+FFFF. */
export function compareByCodePoint(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

function rank(unit: number): number {
  return unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

/** Entries of one folder, ordered by name, in the order of the whole paths: what is in `a` comes after `a.txt`. */
export function inPathOrder(entries: readonly FolderEntry[]): readonly FolderEntry[] {
  return entries.some(isOutOfPlace) ? entries.toSorted(compareByPath) : entries
}

/** A folder is, if the next name begins with its own and goes on with something that comes before a slash. */
function isOutOfPlace(entry: FolderEntry, at: number, entries: readonly FolderEntry[]): boolean {
  const next = entries[at + 1]
  return (
    entry.kind === 'dir' &&
    next !== undefined &&
    next.name.startsWith(entry.name) &&
    isBeforeSlash(next, entry)
  )
}

function isBeforeSlash(longer: FolderEntry, shorter: FolderEntry): boolean {
  return longer.name.length > shorter.name.length && longer.name.charCodeAt(shorter.name.length) < SLASH
}

function compareByPath(a: FolderEntry, b: FolderEntry): number {
  return compareByCodePoint(pathName(a), pathName(b)) || compareByCodePoint(a.exactName, b.exactName)
}

function pathName({ name, kind }: FolderEntry): string {
  return kind === 'dir' ? `${name}/` : name
}
