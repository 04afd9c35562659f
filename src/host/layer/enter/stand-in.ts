import { chmodSync, mkdirSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Mask } from './mask.ts'

/** Makes what a command sees of a hidden file: a sparse file that cannot be read. */
export function writeStandIn(
  path: string | Buffer,
  { size, modifiedMs }: Pick<Mask, 'size' | 'modifiedMs'>,
): void {
  writeFileSync(path, '', { mode: 0o600 })
  truncateSync(path, size)
  utimesSync(path, modifiedMs / 1000, modifiedMs / 1000)
  chmodSync(path, 0)
}

/** Makes what a command sees of a hidden folder: nothing but stand-ins for files that git tracks. */
export function fillStandIn(folder: string, { path, tracked = [] }: Pick<Mask, 'path' | 'tracked'>): void {
  for (const mask of tracked) {
    const at = join(folder, mask.path.slice(path.length + 1))
    mkdirSync(dirname(at), { recursive: true, mode: 0o755 })
    writeStandIn(at, mask)
  }
}
