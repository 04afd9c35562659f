import { Buffer } from 'node:buffer'
import { constants as osConstants } from 'node:os'
import type { Native } from './native.ts'
import { readStatx, STATX_BYTES } from './read-statx.ts'

/** A C function that was given its types. */
type ForeignFunction = (...args: readonly (number | string | Uint8Array)[]) => number

/** The part of koffi that is used. */
export interface ForeignFunctions {
  /** Null stands for the program itself, which is linked with the C library. */
  readonly load: (library: null) => { readonly func: (declaration: string) => ForeignFunction }
  readonly errno: () => number
}

/** The number of a system call that the C library may have no function for, the same on every processor. */
const OPENAT2 = 437

const AT_FDCWD = -100
const AT_SYMLINK_NOFOLLOW = 0x100
/** Everything that `stat` tells. */
const BASIC_STATS = 0x7ff
const RESOLVE_NO_MAGICLINKS = 0x02
const RESOLVE_NO_SYMLINKS = 0x04
const RESOLVE_BENEATH = 0x08
/** Not among the constants of Node, which sets it on whatever it opens. */
const O_CLOEXEC = 0o2_000_000

/** The number of `renameat2`, for which not every C library has a function. */
const RENAMEAT2 = process.arch === 'arm64' ? 276 : 316
const RENAME_FLAGS = { new: 1, exchange: 2 } as const

/** Said of a name by `statx`: that it is where something is mounted. */
const MOUNT_ROOT = 0x2000
/** The same: that it is immutable, or append-only. */
const FIXED = 0x10 | 0x20

/** Binds the system calls; throws if one of them does not exist here at all. */
export function createNative(foreign: ForeignFunctions): Native {
  const libc = foreign.load(null)
  const openCall = libc.func('int syscall(long number, int folder, const char *path, void *how, size_t size)')
  const statx = libc.func('int statx(int folder, const char *name, int flags, unsigned int mask, void *to)')
  const renameCall = libc.func(
    'int syscall(long number, int folder, const char *from, int target, const char *to, unsigned int flags)',
  )
  const rmdir = libc.func('int rmdir(const char *path)')
  const attribute = new Uint8Array(ATTRIBUTE_BYTES)
  const attributesOf = {
    itself: bindAttributes('l'),
    followed: bindAttributes(''),
  }

  const how = new Uint32Array(6)
  const howBytes = new Uint8Array(how.buffer)
  const stat = new Uint32Array(STATX_BYTES / 4)
  const statBytes = new Uint8Array(stat.buffer)

  const open = (folder: number, path: string, flags: number, resolve: number): number | null => {
    how[0] = flags | O_CLOEXEC
    how[4] = resolve | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS
    const fd = openCall(OPENAT2, folder, path, howBytes, howBytes.length)
    return fd < 0 ? null : fd
  }

  /** What the file system says of a name; null for what it is not able to say. */
  const isSaid = (folder: number, name: string, what: number): boolean | null => {
    if (statx(folder, name, AT_SYMLINK_NOFOLLOW, 0, statBytes) !== 0) return null
    const [said = 0, known = 0] = [stat[2], stat[14]]
    return (known & what) === 0 ? null : (said & what) !== 0
  }

  return {
    openPlain: (path, flags) => open(AT_FDCWD, path, flags, 0),
    openBelow: (folder, path, flags) => open(folder, path, flags, RESOLVE_BENEATH),
    statAt: (folder, name) => {
      const end = statx(folder, name, AT_SYMLINK_NOFOLLOW, BASIC_STATS, statBytes)
      return end === 0 ? readStatx(stat) : foreign.errno() === osConstants.errno.ENOENT ? 'missing' : null
    },
    isMounted: (folder, name) => isSaid(folder, name, MOUNT_ROOT),
    isFixed: (folder, name) => isSaid(folder, name, FIXED),
    rename: (from, to, way) => {
      const end = renameCall(RENAMEAT2, from.folder, from.name, to.folder, to.name, RENAME_FLAGS[way])
      return end === 0 ? 0 : foreign.errno()
    },
    removeFolder: (path) => (rmdir(path) === 0 ? 0 : foreign.errno()),
    // Without room for them, the system says how many bytes their names take.
    hasAttributes: (path) => {
      const bytes = attributesOf.itself.list(Buffer.from(`${path}\0`), 0)
      return bytes === null ? null : bytes > 0
    },
    attributeNames: (path) => attributesOf.itself.names(endedPath(path)),
    readAttributes: (path, lastLink) => {
      const named = endedPath(path)
      // One that goes in between says that somebody is changing them.
      for (let time = 0; time < TIMES; time++) {
        const found = attributesOf[lastLink].read(named)
        if (found !== 'changing') return found
      }
      return null
    },
  }

  /** What is asked about the attributes of one file, by calls that follow a link at the end of its path or do not. */
  function bindAttributes(prefix: 'l' | '') {
    const listCall = libc.func(`long ${prefix}listxattr(const void *path, void *list, size_t size)`)
    const getCall = libc.func(
      `long ${prefix}getxattr(const void *path, const void *name, void *value, size_t size)`,
    )
    /** How many bytes their names take; what has no room is not listed. */
    const list = (named: Buffer, room: number): number | null => {
      const bytes = listCall(named, attribute, room)
      if (bytes >= 0) return bytes
      return foreign.errno() === osConstants.errno.ENOTSUP ? 0 : null
    }
    const names = (named: Buffer): readonly Buffer[] | null => {
      const bytes = list(named, attribute.length)
      return bytes === null ? null : [...partsOf(Buffer.from(attribute.subarray(0, bytes)))]
    }
    const read = (named: Buffer): Map<string, Uint8Array> | 'changing' | null => {
      const listed = names(named)
      if (listed === null) return null
      const attributes = new Map<string, Uint8Array>()
      for (const name of listed) {
        const size = getCall(named, Buffer.concat([name, END]), attribute, attribute.length)
        if (size < 0) return foreign.errno() === osConstants.errno.ENODATA ? 'changing' : null
        attributes.set(name.toString(), Buffer.from(attribute.subarray(0, size)))
      }
      return attributes
    }
    return { list, names, read }
  }
}

const END = Buffer.of(0)
/** The system takes no longer value, and no longer list of names. */
const ATTRIBUTE_BYTES = 65_536
const TIMES = 3

function endedPath(path: Uint8Array): Buffer {
  return Buffer.concat([path, END])
}

/** Each name ends with a zero. */
function* partsOf(list: Buffer): Generator<Buffer> {
  for (let at = 0, end = list.indexOf(0); end !== -1; at = end + 1, end = list.indexOf(0, at))
    yield list.subarray(at, end)
}
