import { orderMounts } from './mount.ts'
import type { Mount } from './mount.ts'

/** What a sandbox made by bubblewrap is to be. */
export interface BwrapPolicy {
  readonly mounts: readonly Mount[]
  readonly cwd: string
  readonly hasNetwork: boolean
  /** The descriptor from which the filter for system calls is read, or null. */
  readonly filterFd: number | null
  /** The most that each scratch folder may hold; null where bubblewrap is too old to say so. */
  readonly scratchBytes: number | null
}

/**
 * The arguments for bubblewrap, up to the command. There is nothing in the root but what is mounted here. Variables are
 * not set by arguments, which every user of the machine can read: bubblewrap is started with the command's environment.
 */
export function buildBwrapArgs(policy: BwrapPolicy): readonly string[] {
  const scratch = (at: string): readonly string[] => [
    ...(policy.scratchBytes === null ? [] : ['--size', `${policy.scratchBytes}`]),
    '--tmpfs',
    at,
  ]
  const argsOf = (mount: Mount): readonly string[] => {
    switch (mount.kind) {
      case 'read':
        return ['--ro-bind', mount.from ?? mount.at, mount.at]
      case 'write':
        return ['--bind', mount.from ?? mount.at, mount.at]
      case 'scratch':
        return scratch(mount.at)
      case 'data':
        return ['--ro-bind-data', `${mount.fd}`, mount.at]
      case 'link':
        return ['--symlink', mount.target, mount.at]
      case 'hide-file':
        // A device on a mount without devices: it can be seen, and neither read nor written.
        return ['--ro-bind', '/dev/null', mount.at]
      case 'hide-folder':
        return ['--tmpfs', mount.at, '--remount-ro', mount.at]
    }
  }
  return [
    '--unshare-all',
    // The line above lets user namespaces be missing; as root that would leave the command root.
    '--unshare-user',
    ...(policy.hasNetwork ? ['--share-net'] : []),
    '--cap-drop',
    'ALL',
    '--new-session',
    '--die-with-parent',
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
    ...(policy.filterFd === null ? [] : ['--seccomp', `${policy.filterFd}`]),
    '--',
  ]
}
