import { Buffer } from 'node:buffer'
import type { ForeignFunctions } from './create-native.ts'

/** What `mount` is told to do, as the system numbers it. */
export const MOUNT_FLAGS = {
  readOnly: 1,
  remount: 32,
  bind: 4096,
  recursive: 16_384,
  private: 262_144,
} as const

/**
 * System calls that change what one thread sees mounted. All return 0 or the number of the error. Only the thread that
 * calls is moved, so a process that uses them calls them, and everything that depends on them, from the same thread.
 */
export interface MountCalls {
  /** Moves this thread into a copy of its mount namespace. */
  readonly unshare: () => number
  /** Moves this thread into the mount namespace behind a descriptor; its root and folder become those of the namespace. */
  readonly enter: (namespace: number) => number
  /** Makes an open folder the root and the folder of this thread. */
  readonly changeRoot: (folder: number) => number
  /** Paths are Latin-1. */
  readonly mount: (request: MountRequest) => number
}

/** What is mounted where. */
export interface MountRequest {
  readonly from: string
  readonly at: string
  readonly type?: string
  readonly flags?: number
  readonly options?: string
}

const CLONE_NEWNS = 0x20000

/** Binds the calls; throws if one of them does not exist here. */
export function createMountCalls(foreign: ForeignFunctions): MountCalls {
  const libc = foreign.load(null)
  const unshare = libc.func('int unshare(int flags)')
  const setns = libc.func('int setns(int fd, int type)')
  const fchdir = libc.func('int fchdir(int fd)')
  const chroot = libc.func('int chroot(const char *path)')
  const mount = libc.func(
    'int mount(const void *from, const void *at, const void *type, unsigned long flags, const void *options)',
  )
  const end = (result: number): number => (result === 0 ? 0 : foreign.errno())
  return {
    unshare: () => end(unshare(CLONE_NEWNS)),
    enter: (namespace) => end(setns(namespace, CLONE_NEWNS)),
    changeRoot: (folder) => end(fchdir(folder)) || end(chroot('.')),
    mount: ({ from, at, type = 'none', flags = 0, options = '' }) =>
      end(mount(text(from), text(at), text(type), flags, text(options))),
  }
}

function text(latin1: string): Uint8Array {
  return Buffer.from(`${latin1}\0`, 'latin1')
}
