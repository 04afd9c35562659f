import { lstatSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { lendFolderBelow } from '../fs/folder-handle.ts'
import { CHANGED } from '../layer/enter/enter-layer.ts'
import { REPORT_FD } from './confinement.ts'
import { isBelow } from './mount.ts'
import type { Mount } from './mount.ts'

/** A place that is to be mounted from its own name, and what was there when the file system was laid out. */
export interface ExpectedMount {
  readonly at: string
  /** Its device and inode, as `stat` prints them; no folder prints the word for nothing. */
  readonly identity: string
}

const NOTHING = 'nothing'
/** How many are compared by one process. */
const AT_ONCE = 32

/**
 * Says what is at places below folders that other processes may change, each opened from such a folder without following
 * a link. The sandbox is set up by names, so that a folder which is exchanged for a link meanwhile would show, and make
 * writable, what lies behind the link.
 */
export function expectMounts(
  mounts: readonly Mount[],
  bases: readonly string[],
  isExact: (at: string) => boolean,
): readonly ExpectedMount[] {
  const hidden = mounts.filter(({ kind }) => kind === 'hide-file' || kind === 'hide-folder')
  const places = mounts.flatMap((mount) =>
    (mount.kind === 'read' || mount.kind === 'write') && mount.from === undefined ? [mount.at] : [],
  )
  return [...new Set(places)].flatMap((at) => {
    const base = bases.find((one) => at !== one && isBelow(at, one))
    if (base === undefined || hidden.some((mount) => isBelow(at, mount.at))) return []
    const seen = lendFolderBelow(base, dirname(at), (folder) => identityOf(join(folder, basename(at))))
    // What git's settings name may lie behind a link that was there before.
    return [{ at, identity: seen ?? (isExact(at) ? null : identityOf(at)) ?? NOTHING }]
  })
}

/** Exact, because the numbers of some file systems are larger than a number can tell apart. */
function identityOf(path: string): string | null {
  try {
    const { dev, ino } = lstatSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return null
  }
}

/** Compares what is mounted with what was expected, from inside of the sandbox, before a command is started. */
export function startIfMounted(
  expected: readonly ExpectedMount[],
  argv: readonly string[],
): readonly string[] {
  if (expected.length === 0) return argv
  const groups: string[] = []
  for (let at = 0; at < expected.length; at += AT_ONCE) {
    const group = expected.slice(at, at + AT_ONCE)
    const filled = Array.from({ length: AT_ONCE }, (_, index) => group[index] ?? group[0]).filter(
      (one) => one !== undefined,
    )
    groups.push(filled.map(({ identity }) => identity).join('\n'), ...filled.map((one) => one.at))
  }
  return ['/bin/sh', '-c', CHECK, 'tongs', ...groups, END, ...argv]
}

const END = '--'
const GROUP = Array.from({ length: AT_ONCE }, (_, index) => `"\${${index + 2}}"`).join(' ')
const CHECK = [
  `while [ "$1" != ${END} ]; do`,
  `[ "$(PATH="/usr/bin:/bin:$PATH" stat -c %d:%i ${END} ${GROUP} 2>&1)" = "$1" ] ||`,
  `{ echo ${CHANGED} >&${REPORT_FD}; exit 125; }`,
  `shift ${AT_ONCE + 1}`,
  'done',
  'shift',
  'exec "$@"',
].join('\n')
