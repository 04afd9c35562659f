import type { EntryKind } from '../../core/powers.ts'
import type { FileStat } from '../root/root.ts'

/** The size of the kernel's `struct statx`, which is the same on every processor. */
export const STATX_BYTES = 256

const KIND_MASK = 0o170000
const CHARACTER_DEVICE = 0o020000
const KINDS: Readonly<Record<number, EntryKind>> = { 0o100000: 'file', 0o040000: 'dir', 0o120000: 'symlink' }
const HIGH = 2 ** 32

/** Converts a `struct statx`, seen as numbers of 32 bits, into the same values that Node returns. */
export function readStatx(words: Uint32Array): FileStat {
  const at = (index: number): number => words[index] ?? 0
  const wide = (index: number): number => at(index) + at(index + 1) * HIGH
  const mode = at(7) & 0xffff
  return {
    kind: KINDS[mode & KIND_MASK] ?? 'other',
    size: wide(10),
    modifiedMs: Math.floor(timeMs(at(28), at(29), at(30))),
    changedMs: timeMs(at(24), at(25), at(26)),
    mode: mode & 0o7777,
    uid: at(5),
    gid: at(6),
    ino: wide(8),
    dev: deviceOf(at(34), at(35)),
    nlink: at(4),
    isWhiteout: (mode & KIND_MASK) === CHARACTER_DEVICE && at(32) === 0 && at(33) === 0,
  }
}

/** Seconds are signed: a file may be older than 1970. */
function timeMs(low: number, high: number, nanoseconds: number): number {
  return (low + (high | 0) * HIGH) * 1000 + nanoseconds / 1_000_000
}

/** Both parts in one number, as the C library has it: the low bits of each, then the high ones. */
function deviceOf(major: number, minor: number): number {
  const low = ((minor & 0xff) | ((major & 0xfff) << 8)) >>> 0
  return low + (minor >>> 8) * 2 ** 20 + (major >>> 12) * 2 ** 44
}
