import { errnoOf } from '../../host/fs/errno.ts'
import { identityOf } from '../../host/fs/private-files.ts'
import { ToolFailure } from '../../core/error.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { findHidden, readBySetting } from './confine-command.ts'
import type { ConfineDeps } from './confine-command.ts'
import { judgePathGrant } from './granted-paths.ts'
import type { GrantedPlace } from './granted-paths.ts'
import { findPassthrough } from './passthrough.ts'

/** How a command runs whose denied names are watched. */
interface WatchedRun {
  readonly isOnLayer: boolean
  /** Whether denied names are hidden from it. */
  readonly hides: boolean
}

/**
 * Watches the denied names that a command can reach without its layer: in folders it was granted, in those that it writes
 * directly, and without a layer in the roots. A name that is replaced loses its mask, one that comes has none, and one that
 * is gone may be elsewhere, where the next command reads it. Returns what finds such a name after the command; null if
 * there is none.
 */
export function watchMasked(
  { extraAccess }: Pick<SpawnRequest, 'extraAccess'>,
  { isOnLayer, hides }: WatchedRun,
  { settings, workspace, paths }: ConfineDeps,
): () => string | null {
  const granted = (which: 'read' | 'write'): readonly GrantedPlace[] =>
    (extraAccess?.[which] ?? []).flatMap((path) => {
      const access = judgePathGrant(path, which, paths)
      return access.ok ? [access] : []
    })
  const findRead = (): readonly string[] =>
    [...readBySetting(settings, workspace), ...granted('read')].flatMap((place) =>
      typeof place === 'string' ? findHidden(place, workspace) : findStillHidden(place, workspace),
    )
  const read = identities(findRead())
  const written = identities([
    ...granted('write').flatMap((place) => findHidden(place, workspace)),
    ...deniedDirectly(isOnLayer, findPassthrough(settings, workspace), workspace),
  ])
  // Nothing of the command's own is in a folder that it can only read, so a new name there is another's.
  return () => findUnmasked(read, findRead()) ?? (hides ? findLost(written) : findReplaced(written))
}

/** What is denied in a granted place; of one that has been exchanged, the place itself stands for that. */
export function findStillHidden(place: GrantedPlace, workspace: Workspace): readonly string[] {
  try {
    return findHidden(place, workspace)
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
    return [place.real]
  }
}

/** What is denied in the roots where a command works on them directly. */
function deniedDirectly(
  isOnLayer: boolean,
  passthrough: readonly string[],
  workspace: Workspace,
): readonly string[] {
  const denied = isOnLayer && passthrough.length === 0 ? [] : workspace.findDenied()
  if (!isOnLayer) return denied
  return denied.filter((path) => passthrough.some((folder) => path.startsWith(`${folder}/`)))
}

/** The files behind names, as they are now. */
export function identities(paths: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    paths.flatMap((path) => {
      const identity = identify(path)
      return identity === null ? [] : [[path, identity]]
    }),
  )
}

/** The first of the names found that was not there when the others were hidden, or leads to another file now. */
export function findUnmasked(known: ReadonlyMap<string, string>, found: readonly string[]): string | null {
  return found.find((path) => known.get(path) !== (identify(path) ?? undefined)) ?? null
}

/** The first of the hidden names that leads to another file now; null if none does. */
function findReplaced(known: ReadonlyMap<string, string>): string | null {
  return findLost(new Map([...known].filter(([path]) => identify(path) !== null)))
}

/** The first of the hidden names that leads to another file now, or to none; null if none does. */
export function findLost(known: ReadonlyMap<string, string>): string | null {
  return [...known].find(([path, before]) => identify(path) !== before)?.[0] ?? null
}

/** The file that a name leads to; null if there is none that we could read. */
function identify(path: string): string | null {
  try {
    return identityOf(path)
  } catch (error) {
    if (errnoOf(error) === null) throw error
    return null
  }
}
