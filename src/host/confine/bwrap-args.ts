import { FIRST_INPUT_FD, NAMESPACE_FD } from './confinement.ts'
import type { LaunchInput } from './confinement.ts'
import { failure } from '../../core/error.ts'
import { showPath } from '../root/rel-path.ts'
import { orderMounts } from './mount.ts'
import type { BindMount, Mount } from './mount.ts'

/** What a bubblewrap sandbox shows and allows. */
export interface BwrapPolicy {
  readonly mounts: readonly Mount[]
  readonly cwd: string
  readonly hasNetwork: boolean
  /** The filter for system calls, or null. */
  readonly filter: Uint8Array | null
  /** The size limit of each scratch folder; null if bubblewrap is too old to set one. */
  readonly scratchBytes: number | null
  /** Whom the command runs as, if that is not the user who starts the sandbox. */
  readonly user?: { readonly uid: number; readonly gid: number } | null
  /** The variables of the command. */
  readonly env: Readonly<Record<string, string>>
}

/** What bubblewrap says, before it starts anything, if it mounted something else than what it holds, or if that has moved. */
export const LOST_RACE =
  /^bwrap: (?:Race condition binding|Can't get type of source|Can't find source path .*: No such file)/m

/** Arguments up to the command, and the inputs they expect on descriptors from the first on. */
export interface BwrapArgs {
  readonly args: readonly string[]
  readonly inputs: readonly LaunchInput[]
}

/**
 * Builds the arguments for bubblewrap. The sandbox's root holds only what is mounted here. Environment variables come
 * from a descriptor: every user of the machine can read arguments, and what starts the sandbox is outside of it and
 * must not obey the variables of the command, some of which make a shell or a library load files.
 */
export function buildBwrapArgs(policy: BwrapPolicy, firstFd = FIRST_INPUT_FD): BwrapArgs {
  const inputs: LaunchInput[] = []
  const { user = null } = policy
  const fdOf = (input: LaunchInput): string => `${firstFd + inputs.push(input) - 1}`
  const scratch = (at: string): readonly string[] => [
    ...(policy.scratchBytes === null ? [] : ['--size', `${policy.scratchBytes}`]),
    '--tmpfs',
    at,
  ]
  const bind = (how: '--bind' | '--ro-bind', { at, from = at, identity }: BindMount): readonly string[] =>
    identity === undefined ? [how, from, at] : [`${how}-fd`, fdOf({ real: from, identity }), at]
  const argsOf = (mount: Mount): readonly string[] => {
    requireReadable(mount)
    switch (mount.kind) {
      case 'read':
        return bind('--ro-bind', mount)
      case 'write':
        return bind('--bind', mount)
      case 'scratch':
        return scratch(mount.at)
      case 'copy':
        return ['--file', fdOf(mount.from), mount.at]
      case 'link':
        return ['--symlink', mount.target, mount.at]
      case 'hide-file':
        // A device on a mount that forbids devices: visible, but neither readable nor writable.
        return ['--ro-bind', '/dev/null', mount.at]
      case 'hide-folder':
        return ['--tmpfs', mount.at, '--remount-ro', mount.at]
    }
  }
  const args = [
    '--args',
    fdOf(argsFor(policy.env)),
    '--unshare-all',
    // --unshare-all tolerates a missing user namespace, which would leave a command of root running as root.
    '--unshare-user',
    ...(user === null ? [] : ['--uid', `${user.uid}`, '--gid', `${user.gid}`]),
    ...(policy.hasNetwork ? ['--share-net'] : []),
    '--cap-drop',
    'ALL',
    '--new-session',
    '--die-with-parent',
    '--info-fd',
    `${NAMESPACE_FD}`,
    '--hostname',
    'sandbox',
    '--proc',
    '/proc',
    '--remount-ro',
    '/proc',
    '--dev',
    '/dev',
    ...scratch('/dev/shm'),
    '--remount-ro',
    '/dev',
    ...scratch('/tmp'),
    ...scratch('/var/tmp'),
    '--dir',
    '/run',
    ...orderMounts(policy.mounts).flatMap(argsOf),
    '--remount-ro',
    '/',
    '--chdir',
    policy.cwd,
    ...(policy.filter === null ? [] : ['--seccomp', fdOf(policy.filter)]),
    '--',
  ]
  return { args, inputs }
}

/** What shells set for the programs they start. */
const SET_BY_SHELLS = ['OLDPWD', 'SHLVL', '_']

/** Arguments that give a command these variables, as bubblewrap reads them from a descriptor. */
function argsFor(variables: Readonly<Record<string, string>>): Uint8Array {
  const args = [
    ...SET_BY_SHELLS.flatMap((name) => ['--unsetenv', name]),
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
  ]
  return new TextEncoder().encode(args.map((arg) => `${arg}\0`).join(''))
}

/** In an argument, a name that is not text would be another one: bubblewrap would mount there, and make what is missing. */
function requireReadable(mount: Mount): void {
  const from = 'from' in mount && typeof mount.from === 'string' ? mount.from : mount.at
  const odd = [mount.at, from].find((path) => !path.isWellFormed())
  if (odd !== undefined)
    throw failure(
      'not_allowed',
      `The sandbox cannot mount ${showPath(odd)}, because its name is not valid UTF-8, so the command did not run.`,
      { path: showPath(odd) },
      ['Rename it.'],
    )
}
