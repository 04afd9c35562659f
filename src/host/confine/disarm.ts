import { randomUUID } from 'node:crypto'
import { ToolFailure } from '../../core/error.ts'
import { isBareByNames } from '../git/find-repositories.ts'
import { setFolderMode } from '../root/move-name.ts'
import { openRoot } from '../root/open-root.ts'
import { readableName } from '../root/exact-name.ts'
import { absoluteOf, joinRel } from '../root/rel-path.ts'
import type { FolderEntry, Root } from '../root/root.ts'

const OWNER_ALL = 0o700
/** Many more than a clone has. */
const MOST_FOLDERS = 100_000

/** A name that was changed, as people read it. */
export interface Disarmed {
  readonly path: string
  readonly movedTo: string
}

/** Which names in a folder are looked into, if not all. */
type Chooses = (entry: FolderEntry) => boolean

/**
 * Renames what makes folders repositories of git, in a folder and in all below it: a folder with the right names is one
 * wherever it lies, also what was `.git` and has another name now. Names that are not UTF-8 are found as well. Returns
 * what was renamed; throws if something cannot be.
 */
export function disarmBelow(folder: string, choosesAtTop: Chooses = () => true): readonly Disarmed[] {
  const root = openRoot(folder)
  const done: Disarmed[] = []
  const closed: (readonly [rel: string, mode: number])[] = []
  try {
    const waiting = ['']
    for (const rel of waiting) {
      const entries = listOpened(root, rel, closed).filter((entry) => rel !== '' || choosesAtTop(entry))
      const names = new Map(entries.map((entry) => [entry.exactName, entry]))
      const isBare = isBareByNames((name) => names.has(name))
      for (const name of ['.git', ...(isBare ? ['HEAD'] : [])].filter((one) => names.has(one))) {
        const to = freeName(name, names)
        root.rename(joinRel(rel, name), joinRel(rel, to))
        done.push({ path: shown(folder, rel, name), movedTo: shown(folder, rel, to) })
        const moved = names.get(name)
        names.delete(name)
        if (moved !== undefined) names.set(to, { ...moved, exactName: to })
      }
      for (const { exactName, kind } of names.values())
        if (kind === 'dir') waiting.push(joinRel(rel, exactName))
      if (waiting.length > MOST_FOLDERS) throw new Error('it holds too many folders')
    }
    return done
  } finally {
    for (const [rel, mode] of closed.toReversed()) tolerate(() => setFolderMode({ root, rel }, mode))
    root.close()
  }
}

/** The names in a folder; one that a command has closed is opened until the end. */
function listOpened(root: Root, rel: string, closed: (readonly [string, number])[]): readonly FolderEntry[] {
  const mode = root.stat(rel)?.mode ?? OWNER_ALL
  if ((mode & OWNER_ALL) !== OWNER_ALL) {
    setFolderMode({ root, rel }, mode | OWNER_ALL)
    closed.push([rel, mode])
  }
  return root.list(rel)
}

/** What the name of something ends with that was set aside. */
export const REFUSED_SUFFIX = '.refused'

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const wanted = `${name}${REFUSED_SUFFIX}`
  return taken.has(wanted) ? `${wanted}-${randomUUID()}` : wanted
}

function shown(folder: string, rel: string, name: string): string {
  return absoluteOf(folder, readableName(joinRel(rel, name)))
}

function tolerate(act: () => void): void {
  try {
    act()
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
  }
}
