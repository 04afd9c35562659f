import type { LineRange, OpenedFile } from '../../core/powers.ts'
import { bomLength, findLines } from './bytes.ts'
import type { FoundLines } from './bytes.ts'

/** Most ranges end within this much; otherwise the amount is quadrupled each time. */
export const FIRST_SCAN_BYTES = 65_536

/** A file that is being read. */
export interface Source {
  readonly file: OpenedFile
  readonly path: string
  /** The path as shown in messages. */
  readonly shownPath: string
  /** From the start of the file. */
  readonly bytes: Uint8Array
  readonly size: number
  /** Whether the file was read to its end, and therefore hashed: only then can it be edited. */
  readonly isWhole: boolean
}

/** Finds lines within the limit, and reads more if the lines continue beyond what was read. */
export function scanLines(
  source: Source,
  wanted: LineRange,
  scanBytes: number,
): { readonly bytes: Uint8Array; readonly found: FoundLines } {
  let { bytes } = source
  for (;;) {
    const found = findLines(bytes.subarray(0, scanBytes + 1), bomLength(bytes), wanted)
    if (!found.isPastEnd || bytes.length > scanBytes || bytes.length >= source.size) return { bytes, found }
    const more = source.file.readAt(0, Math.min(bytes.length * 4, scanBytes + 1))
    if (more.length <= bytes.length) return { bytes, found }
    bytes = more
  }
}
