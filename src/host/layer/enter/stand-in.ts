import { chmodSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'

/** Something that a command must not read, and what stands in its place. */
export interface Mask {
  /** Where it is hidden, relative to the root and byte for byte (see exact-name.ts). */
  readonly path: string
  readonly kind: 'file' | 'folder'
  /** A stand-in of the same size and time keeps programs that only compare these, such as git, content. */
  readonly size: number
  readonly modifiedMs: number
}

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
