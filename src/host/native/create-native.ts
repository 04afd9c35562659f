import { constants as osConstants } from 'node:os'
import type { Done, Native, NativeSpot } from './native.ts'
import { readStatx, STATX_BYTES } from './read-statx.ts'

/** A C function that was given its types. */
interface ForeignFunction {
  (...args: readonly (number | string | Uint8Array)[]): number
  /** The same on another thread; the last argument receives an error, or null and the result. */
  readonly async: (...args: readonly unknown[]) => void
}

/** The part of koffi that is used. */
export interface ForeignFunctions {
  /** Null stands for the program itself, which is linked with the C library. */
  readonly load: (library: null) => { readonly func: (declaration: string) => ForeignFunction }
  readonly errno: () => number
}

/** Numbers of system calls that the C library may have no function for; the first is the same on every processor. */
const OPENAT2 = 437
const RENAMEAT2: Readonly<Record<string, number>> = { x64: 316, arm64: 276 }

const AT_FDCWD = -100
const AT_SYMLINK_NOFOLLOW = 0x100
/** Everything that `stat` tells. */
const BASIC_STATS = 0x7ff
const RESOLVE_NO_MAGICLINKS = 0x02
const RESOLVE_NO_SYMLINKS = 0x04
const RENAME_NOREPLACE = 1
const RENAME_EXCHANGE = 2
/** Not among the constants of Node, which sets it on whatever it opens. */
const O_CLOEXEC = 0o2_000_000

const ERRNO_NAMES = new Map(Object.entries(osConstants.errno).map(([name, number]) => [number, name]))

/** Binds the system calls; throws if one of them does not exist here at all. */
export function createNative(foreign: ForeignFunctions): Native {
  const renameat2 = RENAMEAT2[process.arch]
  if (renameat2 === undefined) throw new Error(`no system calls are known for ${process.arch}`)
  const libc = foreign.load(null)
  const openCall = libc.func('int syscall(long number, int folder, const char *path, void *how, size_t size)')
  const renameCall = libc.func(
    'int syscall(long number, int folder, const char *from, int other, const char *to, unsigned int flags)',
  )
  const statx = libc.func('int statx(int folder, const char *name, int flags, unsigned int mask, void *to)')
  const syncfs = libc.func('int syncfs(int fd)')

  const how = new Uint32Array(6)
  how[4] = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS
  const howBytes = new Uint8Array(how.buffer)
  const stat = new Uint32Array(STATX_BYTES / 4)
  const statBytes = new Uint8Array(stat.buffer)

  const openPlain = (path: string, flags: number): number | null => {
    how[0] = flags | O_CLOEXEC
    const fd = openCall(OPENAT2, AT_FDCWD, path, howBytes, howBytes.length)
    return fd < 0 ? null : fd
  }
  const rename = (from: NativeSpot, to: NativeSpot, flags: number): Done => {
    const end = renameCall(renameat2, from.folder, from.name, to.folder, to.name, flags)
    return end === 0 ? 'done' : (ERRNO_NAMES.get(foreign.errno()) ?? 'EINVAL')
  }

  return {
    openPlain,
    statAt: (folder, name) => {
      const end = statx(folder, name, AT_SYMLINK_NOFOLLOW, BASIC_STATS, statBytes)
      return end === 0 ? readStatx(stat) : foreign.errno() === osConstants.errno.ENOENT ? 'missing' : null
    },
    exchange: (one, other) => rename(one, other, RENAME_EXCHANGE),
    moveIfFree: (from, to) => rename(from, to, RENAME_NOREPLACE),
    syncFileSystem: async (fd) =>
      new Promise((resolve) => {
        syncfs.async(fd, (error: unknown, end: unknown) => resolve(error === null && end === 0))
      }),
  }
}
