import { chmodSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
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
