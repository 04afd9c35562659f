import type { FindUnhidden } from '../../servers/connect.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { findHidden } from '../shell/confine-command.ts'
import type { GrantedPlace } from '../shell/granted-paths.ts'
import { findLost, findStillHidden, findUnmasked, identities } from '../shell/watch-masked.ts'

/** What the entry of a server lets its program use. */
export interface ServerAccess {
  readonly read: readonly GrantedPlace[]
  readonly write: readonly GrantedPlace[]
}

/** The denied files in the folders of a server, and what finds those that came since. */
export interface HiddenFiles {
  readonly hidden: readonly string[]
  readonly findUnhidden: FindUnhidden
}

/**
 * Finds what is to be hidden from a server. It runs for long, and a mask belongs to a file: one that is saved by rename or
 * created later has none. To look again costs a look at each folder; only folders that changed are read.
 */
export function watchHidden({ read, write }: ServerAccess, workspace: Workspace): HiddenFiles {
  const findIn = (places: readonly GrantedPlace[], find = findStillHidden): readonly string[] =>
    places.filter(({ kind }) => kind === 'folder').flatMap((place) => find(place, workspace))
  const isWritable = (path: string): boolean => write.some(({ real }) => path.startsWith(`${real}/`))
  const hidden = { read: findIn(read, findHidden), write: findIn(write, findHidden) }
  const known = { read: identities(hidden.read), write: identities(hidden.write) }
  const all = new Map([...known.read, ...known.write])
  return {
    hidden: [...hidden.read, ...hidden.write],
    findUnhidden(at) {
      if (at === 'before')
        return findUnmasked(all, [...findIn(read), ...findIn(write)]) ?? findLost(known.write)
      // What it created itself is no secret to it, and hidden from its next start.
      const others = findIn(read).filter((path) => !isWritable(path))
      return findUnmasked(all, others) ?? findLost(known.write)
    },
  }
}
