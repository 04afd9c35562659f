import * as fs from 'node:fs'
import { randomBytes, randomUUID } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { errnoOf } from './errno.ts'
import { requirePlainFile } from './plain-file.ts'

const syncDescriptor = promisify(fs.fdatasync)

const FOLDER_MODE = 0o700
const FILE_MODE = 0o600

/** Why a folder is not safe for secrets. */
export type FolderFault =
  | { readonly is: 'not_a_folder' }
  | { readonly is: 'foreign'; readonly uid: number }
  | { readonly is: 'open_to_others'; readonly mode: number }

/** Creates a folder that only its owner can enter, or says why an existing one is not safe. */
export function makePrivateFolder(path: string): FolderFault | null {
  const made = fs.mkdirSync(path, { recursive: true, mode: FOLDER_MODE })
  const found = fs.statSync(path)
  if (!found.isDirectory()) return { is: 'not_a_folder' }
  const uid = process.geteuid?.()
  if (uid === undefined) return null
  if (found.uid !== uid) return { is: 'foreign', uid: found.uid }
  const mode = found.mode & 0o777
  // A folder that others could write to may already hold their files; one that they could only read is closed now.
  if (made === undefined && (mode & 0o022) !== 0) return { is: 'open_to_others', mode }
  if (made !== undefined) fs.chmodSync(path, FOLDER_MODE)
  else if ((mode & 0o077) !== 0) fs.chmodSync(path, mode & FOLDER_MODE)
  return null
}

/** Fails as a write would, without writing. */
export function requireWritable(path: string): void {
  fs.accessSync(path, fs.constants.R_OK | fs.constants.W_OK)
}

/** Opens a file or folder for one thing only; nothing stays open if that fails. */
function withFile(path: string, flags: string, use: (fd: number) => void): void {
  const fd = fs.openSync(path, flags, FILE_MODE)
  try {
    use(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Creates an empty file that only its owner can read; false if the name is taken, and what is there is not opened. */
export function createPrivateFile(path: string): boolean {
  try {
    withFile(path, 'wx', (fd) => fs.fchmodSync(fd, FILE_MODE))
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}

/**
 * Creates a file under a temporary name, lets `fill` write it, and gives it its real name only when it is complete and
 * on disk. False if that name was taken in the meantime; the existing file stays.
 */
export function createWhole(path: string, fill: (draft: string) => void): boolean {
  try {
    return createNamed(path, (draft) => {
      fill(draft)
      withFile(draft, 'r+', fs.fsyncSync)
    })
  } finally {
    syncFolder(dirname(path))
  }
}

/** Creates a file of so many bytes that no file system can store in fewer; false if it exists. It need not survive a power cut. */
export function createFiller(path: string, bytes: number): boolean {
  return createNamed(path, (draft) => fs.writeFileSync(draft, randomBytes(bytes)))
}

/** Creates a file that can be made again, completely or not at all; false if it exists. It need not survive a power cut. */
export function createCopy(path: string, text: string): boolean {
  return createNamed(path, (draft) => fs.writeFileSync(draft, text))
}

/** Creates a file under a temporary name, and gives it its real one when it is complete; false if that was taken. */
function createNamed(path: string, fill: (draft: string) => void): boolean {
  const draft = `${path}.new-${randomUUID()}`
  try {
    createPrivateFile(draft)
    fill(draft)
    fs.linkSync(draft, path)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(draft, { force: true })
  }
}

const DRAFT = /\.new-[0-9a-f-]{36}(-wal|-shm|-journal)?$/
/** A process that still writes its draft has touched it more recently than this. */
const DRAFT_MS = 10_000

/** Removes drafts in a folder whose processes were killed before they could give them their names. */
export function sweepDrafts(folder: string): void {
  for (const name of namesIn(folder)) {
    if (!DRAFT.test(name)) continue
    const path = join(folder, name)
    if (Date.now() - (sizeOf(path)?.modifiedMs ?? Infinity) > DRAFT_MS) removeFile(path)
  }
}

/** Creates a small file with this content, completely or not at all; false if it exists. */
export function createPrivateFileWith(path: string, content: Uint8Array | string): boolean {
  return createWhole(path, (draft) => fs.writeFileSync(draft, content))
}

/** Replaces the content of a small file that only one process writes. */
export function writePrivateText(path: string, text: string): void {
  createPrivateFile(path)
  fs.writeFileSync(path, text)
}

/** The first bytes of a file, null if there is none. */
export function readIfExists(path: string, maxBytes = 65_536): Buffer | null {
  return readSpan(path, 0, maxBytes)
}

/** The bytes of a file from one place to another, fewer if it ends before; null if there is none. What is not a file has none. */
export function readSpan(path: string, from: number, to: number): Buffer | null {
  let fd: number
  try {
    fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    // A socket, and a link that leads to itself.
    if (errnoOf(error) === 'ENXIO' || errnoOf(error) === 'ELOOP') return Buffer.alloc(0)
    throw error
  }
  try {
    const bytes = Buffer.alloc(fs.fstatSync(fd).isFile() ? Math.max(0, to - from) : 0)
    let read = 0
    while (read < bytes.length) {
      const more = fs.readSync(fd, bytes, read, bytes.length - read, from + read)
      if (more === 0) break
      read += more
    }
    return bytes.subarray(0, read)
  } finally {
    fs.closeSync(fd)
  }
}

/** The names in a folder, sorted; none if the folder does not exist. */
export function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).toSorted()
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  }
}

/** The names in a folder of what is not a file itself: pipes, sockets, devices, folders and links. */
export function oddNamesIn(folder: string): ReadonlySet<string> {
  try {
    const found = fs.readdirSync(folder, { withFileTypes: true })
    return new Set(found.flatMap((entry) => (entry.isFile() ? [] : [entry.name])))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return new Set()
    throw error
  }
}

/** Identifies the file at a path, to notice when it is replaced by another one; null if there is none. */
export function identityOf(path: string): string | null {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  // A number that became free is given to the next file, so the time of birth counts too.
  return found === undefined ? null : `${found.dev}:${found.ino}:${found.birthtimeMs}`
}

/** Size and modification time of a file, null if there is none. */
export function sizeOf(path: string): { readonly bytes: number; readonly modifiedMs: number } | null {
  const found = fs.statSync(path, { throwIfNoEntry: false })
  return found === undefined ? null : { bytes: found.size, modifiedMs: found.mtimeMs }
}

/** Copies a file, readable only by its owner; an existing copy is kept. */
export function copyPrivately(from: string, to: string): void {
  requirePlainFile(from)
  if (!createPrivateFile(to)) return
  try {
    fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE)
    fs.chmodSync(to, FILE_MODE)
  } catch (error) {
    fs.rmSync(to, { force: true })
    throw error
  }
}

/** Removes a file, if it is there. */
export function removeFile(path: string): void {
  fs.rmSync(path, { force: true })
}

/** An open file whose beginning is overwritten repeatedly. */
export interface RecordFile {
  readonly write: (record: Uint8Array) => void
  readonly sync: () => void
  /** The same, without waiting for the disk: several files take hardly longer than one. */
  readonly syncLater: () => Promise<void>
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
    syncLater: () => syncDescriptor(fd),
    close: () => fs.closeSync(fd),
  }
}

/** Has the names in a folder reach the disk. */
export function syncFolder(path: string): void {
  try {
    withFile(path, 'r', fs.fsyncSync)
  } catch {
    // Some file systems cannot sync a folder; the file itself is synced.
  }
}

/** Removes files of our own folder and its subfolders that are older than a time in epoch milliseconds; returns their paths. */
export function pruneFiles(folder: string, olderThan: number): readonly string[] {
  const removed: string[] = []
  for (const path of listFiles(folder)) {
    const stats = fs.statSync(path, { throwIfNoEntry: false })
    if (stats === undefined || stats.mtimeMs >= olderThan) continue
    fs.rmSync(path, { force: true })
    removed.push(path)
  }
  return removed
}

/** Removes files of our own folder and its subfolders whose name contains a text; returns their paths. */
export function removeNamed(folder: string, text: string): readonly string[] {
  const matching = listFiles(folder).filter((path) => basename(path).includes(text))
  for (const path of matching) fs.rmSync(path, { force: true })
  return matching
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

/** Makes a folder that is not private, and those above it, unless they are there. */
export function makeFolder(path: string): void {
  fs.mkdirSync(path, { recursive: true })
}
