import { FILTER_FD } from './confinement.ts'
import { orderMounts } from './mount.ts'
import type { Mount } from './mount.ts'

/** What a sandbox made by bubblewrap is to be. */
export interface BwrapPolicy {
  readonly mounts: readonly Mount[]
  readonly cwd: string
  readonly hasNetwork: boolean
  /** Whether a filter for system calls lies on `FILTER_FD`. */
  readonly hasFilter: boolean
  /** The most that one scratch folder of the sandbox itself may hold. */
  readonly scratchBytes: number
}

/**
 * The arguments for bubblewrap, up to the command. There is nothing in the root but what is mounted here. Variables are
 * not set by arguments, which every user of the machine can read: bubblewrap is started with the command's environment.
 */
export function buildBwrapArgs(policy: BwrapPolicy): readonly string[] {
  const scratch = (at: string): readonly string[] => ['--size', `${policy.scratchBytes}`, '--tmpfs', at]
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
    ...orderMounts(policy.mounts).flatMap(mountArgs),
    '--remount-ro',
    '/',
    '--chdir',
    policy.cwd,
    ...(policy.hasFilter ? ['--seccomp', `${FILTER_FD}`] : []),
    '--',
  ]
}

function mountArgs(mount: Mount): readonly string[] {
  switch (mount.kind) {
    case 'read':
      return ['--ro-bind', mount.from ?? mount.at, mount.at]
    case 'write':
      return ['--bind', mount.from ?? mount.at, mount.at]
    case 'scratch':
      return ['--size', `${mount.maxBytes}`, '--tmpfs', mount.at]
    case 'link':
      return ['--symlink', mount.target, mount.at]
    case 'hide-file':
      // A device on a mount without devices: it can be seen, and neither read nor written.
      return ['--ro-bind', '/dev/null', mount.at]
    case 'hide-folder':
      return ['--tmpfs', mount.at, '--remount-ro', mount.at]
  }
}
