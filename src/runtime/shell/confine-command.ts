import type { Settings } from '../../config/keys.ts'
import { failure, ToolFailure } from '../../core/error.ts'
import type { SpawnRequest } from '../../core/powers.ts'
import type { Confinement } from '../../host/confine/confinement.ts'
import type { ConfinementLevel } from '../../host/confine/find-confinement.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { judgePathGrant } from './granted-paths.ts'
import type { PathGrantDeps } from './granted-paths.ts'

/** What decides about the sandbox of a command. */
export interface ConfineDeps {
  readonly settings: Settings
  readonly workspace: Workspace
  readonly paths: PathGrantDeps
}

/** Confines one command to the workspace and what a person has granted it; `path` is its PATH. */
export function confineCommand(
  level: ConfinementLevel & { readonly holds: true },
  { extraAccess }: SpawnRequest,
  path: string,
  { settings, workspace, paths }: ConfineDeps,
): Confinement {
  const read = (extraAccess?.read ?? []).map((one) => grant(one, 'read', paths))
  const write = (extraAccess?.write ?? []).map((one) => grant(one, 'write', paths))
  const folders = write.filter(({ kind }) => kind === 'folder').map(({ real }) => real)
  const granted = [...read, ...write].filter(({ kind }) => kind === 'folder').map(({ real }) => real)
  return level.confine({
    // A writable folder is shielded like a root, so that the repositories in it are protected.
    roots: [...workspace.roots, ...folders.filter((folder) => !workspace.roots.includes(folder))],
    home: paths.home,
    path,
    read: [...settings['tools.shell.read'], ...read.map(({ real }) => real)],
    write: write.filter(({ kind }) => kind === 'file').map(({ real }) => real),
    masked: [
      ...findMasked(workspace),
      ...[...settings['tools.shell.read'], ...granted].flatMap((place) => findHidden(place, workspace)),
    ],
    hasNetwork: extraAccess?.network ?? false,
    scratchBytes: settings['tools.shell.limits.scratch_bytes'],
  })
}

/** Resolves a granted path. It is judged again, because it may have changed since a person granted it. */
function grant(path: string, intent: 'read' | 'write', paths: PathGrantDeps) {
  const access = judgePathGrant(path, intent, paths)
  if (!access.ok) throw new ToolFailure(access.error)
  return access
}

/** The files hidden from every command. A name that cannot be hidden on its own hides its folder, unless that is a root. */
function findMasked(workspace: Workspace): readonly string[] {
  const masked = workspace.findDenied()
  const root = workspace.roots.find((one) => masked.includes(one))
  if (root === undefined) return masked
  throw failure(
    'not_allowed',
    `A denied file directly in ${root} has a name that is not valid UTF-8, so it cannot be hidden from a command.`,
    { root },
    ['Rename that file, or move it into a folder.'],
  )
}

/** What is denied in a folder outside the workspace; the folder itself may be denied. */
function findHidden(place: string, workspace: Workspace): readonly string[] {
  return workspace.denyOutside(place) === null ? workspace.findDeniedIn(place) : [place]
}
