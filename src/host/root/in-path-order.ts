import { compareCodePoints } from '../../core/text/compare.ts'
import type { FolderEntry } from './root.ts'

const SLASH = 0x2f

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
  return compareCodePoints(pathName(a), pathName(b)) || compareCodePoints(a.exactName, b.exactName)
}

function pathName({ name, kind }: FolderEntry): string {
  return kind === 'dir' ? `${name}/` : name
}
