import { join } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import type { PrivateValues, ServerSetting } from '../../config/kinds/servers-kind.ts'
import { CHILD_ENVIRONMENT_NEVER } from '../../config/fixed-values.ts'
import { failure, ToolFailure } from '../../core/error.ts'
import type { ConfinementLevel } from '../../host/confine/find-confinement.ts'
import { findToolchains } from '../../host/confine/readable-places.ts'
import { homeFolder } from '../../host/fs/folders.ts'
import { expandHome } from '../../host/fs/follow-path.ts'
import { findCgroupHome } from '../../host/run/cgroup.ts'
import { childEnvironment } from '../../host/run/environment.ts'
import { startServer } from '../../host/serve/start-server.ts'
import { platform } from '../../host/system/platform.ts'
import type { StartedServer } from '../../servers/connect.ts'
import { serverFile } from '../../servers/pins.ts'
import type { OwnPath } from '../../workspace/sandbox/own-paths.ts'
import { findSettingFault } from '../../workspace/sandbox/named-by-setting.ts'
import { isReadable } from '../../workspace/sandbox/own-paths.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import { environmentRules } from '../shell/child-environment.ts'
import { findHiddenTools, judgedAs, requireUnchanged } from '../shell/confine-command.ts'
import { judgePathGrant } from '../shell/granted-paths.ts'
import { pathOutside } from '../../host/run/order-path.ts'
import type { ServerAccess } from './watch-hidden.ts'
import { watchHidden } from './watch-hidden.ts'
import { findShellConfinement, placeForRunner, runLimits } from '../shell/shell-confinement.ts'

/** What decides about the sandbox of a server. */
export interface ConfinedStart {
  readonly settings: Settings
  readonly stateDir: string
  readonly workspace: Workspace
  /** What its entry cannot grant. */
  readonly own: readonly OwnPath[]
  /** What it may not change in the folders that it may write. */
  readonly shielded: readonly OwnPath[]
}

/** Where a server works that has no folder of its own: empty, and removed when it ends. */
const WORKING_FOLDER = '/tmp'

/** Starts the program of a server in the command sandbox, with the access that its entry names and no other. */
export async function startConfined(
  name: string,
  setting: ServerSetting,
  deps: ConfinedStart,
): Promise<StartedServer> {
  const { settings, workspace, stateDir, own } = deps
  const level = await findShellConfinement(settings, { roots: workspace.roots, own, stateDir })
  if (!level.holds)
    throw failure(
      'not_allowed',
      `There is no sandbox for its program here: ${level.reason}`,
      {},
      level.advice,
    )
  const env = environmentFor(setting, deps)
  const { cpuSeconds: _unlimited, ...limits } = runLimits(settings)
  const access = findAccess(name, setting, deps)
  // Before the masks are made, so that a file which is replaced in between is noticed.
  const watched = watchHidden(access, workspace)
  const started = startServer({
    argv: [setting.command ?? '', ...setting.args],
    cwd: WORKING_FOLDER,
    env,
    confinement: confineServer(level, { setting, access, hidden: watched.hidden }, env['PATH'] ?? '', deps),
    limits,
    cgroupHome: findCgroupHome(),
    place: placeForRunner(settings, workspace.roots),
    stderrPath: serverFile(stateDir, name, 'stderr'),
  })
  // Without a sandbox of ours nothing is hidden, and to start it again would hide nothing either.
  return {
    process: started,
    findUnhidden: level.name === 'bwrap' || level.name === 'seatbelt' ? watched.findUnhidden : () => null,
  }
}

/** The paths of an entry, each judged as one that a person grants to a command. */
function findAccess(
  name: string,
  setting: ServerSetting,
  { settings, workspace, own }: ConfinedStart,
): ServerAccess {
  const home = homeFolder(process.env)
  const grants = { workspace, home, own, runnerPlace: () => placeForRunner(settings, workspace.roots) }
  const grant = (named: string, intent: 'read' | 'write') => {
    const isWhole = named.startsWith('/') || named === '~' || named.startsWith('~/')
    const path = isWhole ? named : join(workspace.roots[0] ?? '/', named)
    const key = `mcp.servers.${name}.${intent}`
    const fault = findSettingFault(key, expandHome(path, home), workspace.roots)
    if (fault !== null) throw fault
    const access = judgePathGrant(path, intent, grants)
    if (!access.ok) throw new ToolFailure(access.error)
    return access
  }
  return {
    read: setting.read.map((one) => grant(one, 'read')),
    write: setting.write.map((one) => grant(one, 'write')),
  }
}

/** An entry as it is confined. */
interface ConfinedEntry {
  readonly setting: ServerSetting
  readonly access: ServerAccess
  readonly hidden: readonly string[]
}

function confineServer(
  level: ConfinementLevel & { readonly holds: true },
  { setting, access: { read, write }, hidden }: ConfinedEntry,
  path: string,
  { settings, workspace, own, shielded }: ConfinedStart,
) {
  const home = homeFolder(process.env)
  const folders = write.filter(({ kind }) => kind === 'folder').map(({ real }) => real)
  const masked = [
    ...own.filter(({ as }) => as === 'hidden').map((one) => one.path),
    ...hidden,
    // A mount that is read-only does not keep anybody from writing to a pipe.
    ...read.flatMap((place) => workspace.findPipesInPlace(place)),
    ...findToolchains(path, home, folders).flatMap((place) => findHiddenTools(place, workspace)),
  ]
  requireUnchanged([...read, ...write])
  return level.confine({
    judged: new Map(judgedAs([...read, ...write])),
    // A writable folder is shielded like a root, so that the repositories in it are protected.
    roots: folders,
    home,
    path,
    read: read.map(({ real }) => real),
    write: write.filter(({ kind }) => kind === 'file').map(({ real }) => real),
    masked,
    own: shielded
      .filter((one) => folders.some((folder) => one.path.startsWith(`${folder}/`)))
      .map((one) => ({ path: one.path, isReadable: isReadable(one) })),
    gitBelow: (folder) => workspace.findGitIn(folder),
    hasNetwork: setting.network,
    scratchBytes: settings['tools.shell.limits.scratch_bytes'],
  })
}

/** The environment of a command, and the variables of the entry: those the user gives to this program, secrets included. */
function environmentFor(
  { env }: ServerSetting,
  { settings, workspace }: ConfinedStart,
): Readonly<Record<string, string>> {
  // A file that a call writes in the workspace must not become the program of a server.
  const PATH = pathOutside(process.env['PATH'] ?? '', workspace.roots) || '/usr/bin:/bin'
  const { variables } = childEnvironment({ ...process.env, PATH }, environmentRules(settings), platform)
  const rules = {
    allow: [],
    fixed: {},
    never: CHILD_ENVIRONMENT_NEVER,
    denylist: [],
    extra: revealValues(env),
  }
  const given = childEnvironment({}, rules, platform)
  if (given.refused.length > 0)
    throw failure('not_allowed', `Its entry sets ${given.refused.join(', ')}, which no program may be given.`)
  return { ...variables, ...given.variables }
}

/** The values of an entry, with `${NAME}` replaced by a variable of this process. */
export function revealValues(values: PrivateValues): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(values.reveal()).map(([name, value]) => [name, expand(value)]))
}

function expand(text: string): string {
  return fillIn(text, (name) => {
    throw failure('not_allowed', `Its entry needs the variable ${name}, which is not set.`, { name }, [
      'Set it before tongs is started, or write the value into the entry.',
    ])
  })
}

/** Replaces `${NAME}` by a variable of this process. */
export function fillIn(text: string, ifUnset: (name: string) => string): string {
  return text.replaceAll(
    /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g,
    (_all, name: string) => process.env[name] ?? ifUnset(name),
  )
}
