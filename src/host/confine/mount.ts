/** One entry in the file system of a sandboxed command. */
export type Mount =
  | BindMount
  /** An empty folder that is removed when the command ends. */
  | { readonly kind: 'scratch'; readonly at: string }
  /** A copy of bytes or of a file; quicker to set up than a mount. */
  | { readonly kind: 'copy'; readonly at: string; readonly from: Uint8Array | string }
  | { readonly kind: 'link'; readonly at: string; readonly target: string }
  /** Hides a file or a folder. */
  | { readonly kind: 'hide-file' | 'hide-folder'; readonly at: string }

/** A file or folder that shows as it is. */
export interface BindMount {
  readonly kind: 'read' | 'write'
  readonly at: string
  readonly from?: string
  /** What it has to be, if that was judged: then it is opened before, and mounted only if it is this one. */
  readonly identity?: string
}

/** If several mounts share a path, the highest rank wins: hiding over reading over writing. */
const RANK: Readonly<Record<Mount['kind'], number>> = {
  scratch: 0,
  link: 0,
  copy: 0,
  write: 1,
  read: 2,
  'hide-file': 3,
  'hide-folder': 3,
}

/** Puts mounts in the order in which they can be set up, parents first, with one mount for each path. */
export function orderMounts(mounts: readonly Mount[]): readonly Mount[] {
  const chosen = new Map<string, Mount>()
  for (const mount of mounts) {
    const other = chosen.get(mount.at)
    if (other === undefined || RANK[mount.kind] >= RANK[other.kind]) chosen.set(mount.at, mount)
  }
  return [...chosen.values()].toSorted((a, b) => depthOf(a.at) - depthOf(b.at))
}

function depthOf(path: string): number {
  return path === '/' ? 0 : path.split('/').length - 1
}

/** Whether a path is a folder or lies in it, judged by name alone; both absolute and without dots. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? folder : `${folder}/`)
}

const TOO_WIDE: ReadonlySet<string> = new Set([
  '/',
  '/bin',
  '/boot',
  '/dev',
  '/etc',
  '/home',
  '/lib',
  '/lib64',
  '/media',
  '/mnt',
  '/nix',
  '/opt',
  '/proc',
  '/run',
  '/sbin',
  '/srv',
  '/sys',
  '/usr',
  '/var',
])

/** Whether a folder holds the system or all users' work, so that opening it would defeat the sandbox. */
export function isTooWide(folder: string): boolean {
  return TOO_WIDE.has(folder)
}
