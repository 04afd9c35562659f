import { randomUUID } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** So that not even a process of the same user can open it for writing again, by way of its own descriptor. */
const READ_ONLY = 0o400

/** Opens an empty file for reading and writing, which has a name in `folder` only until then. */
export function openEmptyFile(folder: string): number {
  const path = join(folder, `tongs-${randomUUID()}`)
  const fd = openSync(path, 'wx+', READ_ONLY)
  try {
    unlinkSync(path)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/**
 * Opens a file with these bytes for reading. It has a name in `folder` only while it is still empty, so no other process
 * can find, change or replace its content.
 */
export function openNamelessFile(folder: string, bytes: string | Uint8Array): number {
  const path = join(folder, `tongs-${randomUUID()}`)
  const writer = openSync(path, 'wx', READ_ONLY)
  let reader: number | null = null
  try {
    try {
      reader = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    } finally {
      unlinkSync(path)
    }
    const [made, found] = [fstatSync(writer), fstatSync(reader)]
    if (made.ino !== found.ino || made.dev !== found.dev) throw new Error(`${path} was replaced`)
    writeFileSync(writer, bytes)
    return reader
  } catch (error) {
    if (reader !== null) closeSync(reader)
    throw error
  } finally {
    closeSync(writer)
  }
}
