import { latin1Name } from '../../root/exact-name.ts'
import { openRoot } from '../../root/open-root.ts'
import type { ListedLayer } from './layer-mounts.ts'

const TYPES = { file: 'f', dir: 'd', symlink: 'l', other: 'o' } as const

/**
 * Lists a mounted layer in the form of the lines of a look. A file is looked at only where it has to have a stand-in:
 * names and kinds are told by folders, and looking at each file would make the system build it on the layer. There are as
 * many stand-ins as there are mounts, so if each is in its place, none is elsewhere.
 */
export function listLayer({ at, isIdentified, hiddenFiles }: ListedLayer): readonly string[] {
  const hidden = new Set(hiddenFiles)
  const lines: string[] = []
  const root = openRoot(at)
  try {
    const device = root.stat('')?.dev
    root.walk('', (entry) => {
      const { kind, exactPath } = entry
      // Nothing that was looked at has such a line.
      if (kind === 'unknown') {
        lines.push(`u ${latin1Name(exactPath)}`)
        return 'stop'
      }
      const isFolder = kind === 'dir'
      const isLooked = isFolder || (kind === 'symlink' ? isIdentified : hidden.has(exactPath))
      const stat = isLooked ? entry.stat() : null
      const inode = stat === null || 'fault' in stat ? 0 : stat.ino
      const isOther = stat !== null && 'dev' in stat && stat.dev !== device
      const name = latin1Name(exactPath)
      if (isOther && kind !== 'symlink') lines.push(`${isFolder ? 'D' : 'm'} ${inode} ${name}`)
      else if (isIdentified && (isFolder || kind === 'symlink')) lines.push(`${TYPES[kind]} ${inode} ${name}`)
      else lines.push(`${TYPES[kind]} ${name}`)
      return isFolder && !isOther ? 'enter' : 'pass'
    })
  } finally {
    root.close()
  }
  return lines
}
