import { closeSync, openSync, readFileSync } from 'node:fs'
import { isBelow } from '../confine/mount.ts'
import { errnoOf } from '../fs/errno.ts'

/** Not among the constants of Node: a descriptor that only identifies a place. */
const O_PATH = 0o10_000_000

/** The number of the mount that a path is on; null if there is no such path, or the system does not say. */
export function mountIdOf(path: string): string | null {
  try {
    return readMountId(path)
  } catch {
    return null
  }
}

/** The same where without a number less is safe: throws if the system may say it another time. */
export function requireMountId(path: string): string | null {
  try {
    return readMountId(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return null
    throw error
  }
}

function readMountId(path: string): string | null {
  const fd = openSync(path, O_PATH)
  try {
    return /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1] ?? null
  } finally {
    closeSync(fd)
  }
}

/** The field of the mount point, counted from 0. */
const MOUNT_POINT = 4

/** Where something is mounted below a folder, as Latin-1. */
export function allMountPointsBelow(folder: string, table = '/proc/self/mountinfo'): readonly string[] {
  const top = Buffer.from(folder).toString('latin1')
  const points = readFileSync(table, 'latin1')
    .split('\n')
    .map((line) => unescape(line.split(' ')[MOUNT_POINT] ?? ''))
    .filter((point) => point !== top && isBelow(point, top))
  return [...new Set(points)]
}

/** The same, but the outermost places only. */
export function mountPointsBelow(folder: string, table?: string): readonly string[] {
  const points = allMountPointsBelow(folder, table)
  return points.filter((point) => !points.some((other) => other !== point && isBelow(point, other)))
}

function unescape(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))
}
