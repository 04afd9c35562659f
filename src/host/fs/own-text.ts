import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { randomUUID } from 'node:crypto'
import { dirname } from 'node:path'
import { errnoOf } from './errno.ts'

const PRIVATE = 0o600
const OTHERS = 0o077
/** Far more than all the keys of a person. */
const MAX_SECRET_BYTES = 256 * 1024

/** What a file of secrets holds. */
export type SecretText =
  | { readonly is: 'read'; readonly text: string; readonly wasOpen: boolean }
  | { readonly is: 'missing' }
  | { readonly is: 'refused'; readonly why: string }

/**
 * Reads a file that only its owner may read. If others could read it, that is ended first, or the file is refused; a link,
 * and a file of another user, are refused.
 */
export function readSecretText(path: string, manner: 'end-open' | 'refuse-open' = 'end-open'): SecretText {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  let fd: number
  try {
    fd = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch (error) {
    const code = errnoOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return { is: 'missing' }
    return { is: 'refused', why: code === 'ELOOP' ? 'it is a link' : `it cannot be opened (${code})` }
  }
  try {
    const stats = fstatSync(fd)
    if (!stats.isFile()) return { is: 'refused', why: 'it is not a regular file' }
    if (stats.size > MAX_SECRET_BYTES) return { is: 'refused', why: 'it is too long' }
    const user = process.geteuid?.()
    if (user !== undefined && stats.uid !== user) return { is: 'refused', why: 'it belongs to another user' }
    const wasOpen = user !== undefined && (stats.mode & OTHERS) !== 0
    if (wasOpen && manner === 'refuse-open') return { is: 'refused', why: 'other users could read it' }
    if (wasOpen) fchmodSync(fd, PRIVATE)
    return { is: 'read', text: readFileSync(fd, 'utf8'), wasOpen }
  } catch (error) {
    return { is: 'refused', why: `it cannot be read (${errnoOf(error)})` }
  } finally {
    closeSync(fd)
  }
}

/**
 * Replaces a file of secrets, whole or not at all; only its owner can read it from the first byte on. What would be too
 * long to be read again is not written.
 */
export function replaceSecretText(path: string, text: string): void {
  if (Buffer.byteLength(text) > MAX_SECRET_BYTES)
    throw Object.assign(new Error(`${path} would be too long`), { code: 'EFBIG' })
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  replaceWhole(path, text, PRIVATE)
}

/** Replaces a file that the user may have made: its mode stays, and a link to it too. */
export function replaceOwnText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const target = realPathIfExists(path)
  const before = statSync(target, { throwIfNoEntry: false })
  replaceWhole(target, text, before === undefined ? PRIVATE : before.mode & 0o777)
}

function replaceWhole(path: string, text: string, mode: number): void {
  const draft = `${path}.new-${randomUUID()}`
  try {
    writeFileSync(draft, text, { mode: PRIVATE, flag: 'wx' })
    const fd = openSync(draft, 'r+')
    try {
      fsyncSync(fd)
    } finally {
      closeSync(fd)
    }
    chmodSync(draft, mode)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

function realPathIfExists(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return path
    throw error
  }
}
