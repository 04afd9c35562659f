import type { Settings } from '../../config/keys.ts'
import type { Reach } from '../../host/confine/confinement.ts'
import type { ConfinementLevel } from '../../host/confine/find-confinement.ts'
import { homeFolder } from '../../host/fs/folders.ts'
import { childEnvironment } from '../../host/run/environment.ts'
import { platform } from '../../host/system/platform.ts'
import { runSteps } from '../../host/system/steps.ts'
import type { OwnPath } from '../../workspace/sandbox/own-paths.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { environmentRules } from './child-environment.ts'
import { confineCommand } from './confine-command.ts'
import { findLentCaches } from './lent-caches.ts'
import { placeForRunner } from './shell-confinement.ts'

/** What a command without extra access can reach; null if nothing of ours limits that. */
export function findReach(
  level: ConfinementLevel & { readonly holds: true },
  {
    settings,
    workspace,
    own,
    skillFolders,
  }: {
    readonly settings: Settings
    readonly workspace: Workspace
    readonly own: readonly OwnPath[]
    readonly skillFolders: () => readonly string[]
  },
): Reach | null {
  const { variables } = childEnvironment(process.env, environmentRules(settings), platform)
  const paths = {
    workspace,
    home: homeFolder(process.env),
    own,
    runnerPlace: () => placeForRunner(settings, workspace.roots),
  }
  const deps = { settings, workspace, paths, skillFolders }
  const lent = findLentCaches(settings, workspace, { hasNetwork: false, rung: null })
  return runSteps(
    confineCommand(level, { extraAccess: null, path: variables['PATH'] ?? '', lent }, deps),
  ).reach()
}
