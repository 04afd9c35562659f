import * as fs from 'node:fs'
import { randomUUID } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { errnoOf } from './errno.ts'

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** Why a folder is no place for secrets. */
export type FolderFault =
  | { readonly is: 'not_a_folder' }
  | { readonly is: 'foreign'; readonly uid: number }
  | { readonly is: 'open_to_others'; readonly mode: number }

/** Makes a folder that only its owner can enter, or says why the one that is there will not do. */
export function makePrivateFolder(path: string): FolderFault | null {
  const made = fs.mkdirSync(path, { recursive: true, mode: FOLDER_MODE })
  const found = fs.statSync(path)
  if (!found.isDirectory()) return { is: 'not_a_folder' }
  const uid = process.geteuid?.()
  if (uid === undefined) return null
  if (found.uid !== uid) return { is: 'foreign', uid: found.uid }
  const mode = found.mode & 0o777
  // What others could write to may hold their files already; what they could only look into is closed from now on.
  if (made === undefined && (mode & 0o022) !== 0) return { is: 'open_to_others', mode }
  if (made !== undefined) fs.chmodSync(path, FOLDER_MODE)
  else if ((mode & 0o077) !== 0) fs.chmodSync(path, mode & FOLDER_MODE)
  return null
}

/** Fails like a write would, without writing. */
export function requireWritable(path: string): void {
  fs.accessSync(path, fs.constants.R_OK | fs.constants.W_OK)
}

/** Makes an empty file that only its owner can read. False if something of that name is there; it is not opened. */
export function createPrivateFile(path: string): boolean {
  try {
    const fd = fs.openSync(path, 'wx', FILE_MODE)
    fs.fchmodSync(fd, FILE_MODE)
    fs.closeSync(fd)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Makes a file under a passing name, lets `fill` write it, and gives it its real name only when it is whole and on
 * disk. False if that name was taken meanwhile; what is there stays.
 */
export function createWhole(path: string, fill: (draft: string) => void): boolean {
  const draft = `${path}.new-${randomUUID()}`
  try {
    createPrivateFile(draft)
    fill(draft)
    const fd = fs.openSync(draft, 'r+')
    fs.fsyncSync(fd)
    fs.closeSync(fd)
    fs.linkSync(draft, path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(draft, { force: true })
    syncFolder(dirname(path))
  }
}

/** Makes a small file with this content, whole or not at all. False if one is there already. */
export function createPrivateFileWith(path: string, content: Uint8Array | string): boolean {
  return createWhole(path, (draft) => fs.writeFileSync(draft, content))
}

/** Replaces the content of a small file that nobody else writes. */
export function writePrivateText(path: string, text: string): void {
  createPrivateFile(path)
  fs.writeFileSync(path, text)
}

/** The first bytes of a file, null where there is none. */
export function readIfExists(path: string, maxBytes = 65_536): Buffer | null {
  let fd: number
  try {
    fd = fs.openSync(path, 'r')
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
  try {
    const bytes = Buffer.alloc(maxBytes)
    return bytes.subarray(0, fs.readSync(fd, bytes, 0, maxBytes, 0))
  } finally {
    fs.closeSync(fd)
  }
}

/** Names in a folder, in order; none where there is no folder. */
export function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).toSorted()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}

/** Which file stands at a path, so that another one of the same name can be told from it; null where there is none. */
export function identityOf(path: string): string | null {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  return found === undefined ? null : `${found.dev}:${found.ino}`
}

/** Size and last change of a file, null where there is none. */
export function sizeOf(path: string): { readonly bytes: number; readonly modifiedMs: number } | null {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  return found === undefined ? null : { bytes: found.size, modifiedMs: found.mtimeMs }
}

/** Copies a file for its owner's eyes only; a copy that is there already is kept. */
export function copyPrivately(from: string, to: string): void {
  if (!createPrivateFile(to)) return
  fs.copyFileSync(from, to)
  fs.chmodSync(to, FILE_MODE)
}

/** Removes a file, if it is there. */
export function removeFile(path: string): void {
  fs.rmSync(path, { force: true })
}

/** A file that is kept open and whose beginning is overwritten again and again. */
export interface RecordFile {
  readonly write: (record: Uint8Array) => void
  readonly sync: () => void
  readonly close: () => void
}

/** Opens an existing file for overwriting its beginning. */
export function openRecordFile(path: string): RecordFile {
  const fd = fs.openSync(path, 'r+')
  return {
    write: (record) => {
      fs.writeSync(fd, record, 0, record.length, 0)
    },
    sync: () => fs.fdatasyncSync(fd),
    close: () => fs.closeSync(fd),
  }
}

function syncFolder(path: string): void {
  try {
    const fd = fs.openSync(path, 'r')
    fs.fsyncSync(fd)
    fs.closeSync(fd)
  } catch {
    // Some file systems cannot sync a folder; the file itself is safe.
  }
}

/** Removes the files of our own folder and its subfolders that are older than a moment in epoch milliseconds. */
export function pruneFiles(folder: string, olderThan: number): number {
  let removed = 0
  for (const path of listFiles(folder)) {
    const stats = fs.statSync(path, { throwIfNoEntry: false })
    if (stats === undefined || stats.mtimeMs >= olderThan) continue
    fs.rmSync(path, { force: true })
    removed++
  }
  return removed
}

/** Removes the files of our own folder and its subfolders whose name holds a text. */
export function removeNamed(folder: string, text: string): number {
  const matching = listFiles(folder).filter((path) => basename(path).includes(text))
  for (const path of matching) fs.rmSync(path, { force: true })
  return matching.length
}

function listFiles(folder: string): readonly string[] {
  try {
    return fs
      .readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}
