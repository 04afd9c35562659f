import { errnoOf } from '../../host/fs/errno.ts'
import { identityOf } from '../../host/fs/private-files.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { findHidden } from './confine-command.ts'
import type { ConfineDeps } from './confine-command.ts'
import { judgePathGrant } from './granted-paths.ts'
import { findPassthrough } from './passthrough.ts'

/**
 * Watches the denied names that a command can reach without its layer: in folders it was granted, in those that it writes
 * directly, and without a layer in the roots. A name that is replaced loses its mask, and one that comes has none. Returns
 * what finds such a name after the command; null if there is none.
 */
export function watchMasked(
  { extraAccess }: Pick<SpawnRequest, 'extraAccess'>,
  isOnLayer: boolean,
  { settings, workspace, paths }: ConfineDeps,
): () => string | null {
  const granted = (which: 'read' | 'write'): readonly string[] =>
    (extraAccess?.[which] ?? []).flatMap((path) => {
      const access = judgePathGrant(path, which, paths)
      return access.ok ? [access.real] : []
    })
  const findRead = (): readonly string[] =>
    [...settings['tools.shell.read'], ...granted('read')].flatMap((place) => findHidden(place, workspace))
  const read = identities(findRead())
  const written = identities([
    ...granted('write').flatMap((place) => findHidden(place, workspace)),
    ...deniedDirectly(isOnLayer, findPassthrough(settings, workspace), workspace),
  ])
  // Nothing of the command's own is in a folder that it can only read, so a new name there is another's.
  return () => findUnmasked(read, findRead()) ?? findReplaced(written)
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
export function findReplaced(known: ReadonlyMap<string, string>): string | null {
  return [...known].find(([path, before]) => isReplaced(before, identify(path)))?.[0] ?? null
}

function isReplaced(known: string, now: string | null): boolean {
  return now !== null && now !== known
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
