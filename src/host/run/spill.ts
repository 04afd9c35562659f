import { closeSync, openSync, unlinkSync, writeSync } from 'node:fs'

/** All of a command's output on disk, both streams as they came. */
export interface Spill {
  readonly write: (bytes: Uint8Array) => void
  /** Closes the file, and removes it where it is not wanted. */
  readonly finish: (isWanted: boolean) => { readonly spilled?: string; readonly spillFault?: string }
}

/** Opens the file with the first byte; a trouble with it never stops the command. */
export function createSpill(path: string, maxBytes: number): Spill {
  let fd: number | null = null
  let written = 0
  let fault: string | null = null
  let isLost = false

  return {
    write: (bytes) => {
      if (fault !== null || bytes.length === 0) return
      try {
        fd ??= openSync(path, 'wx', 0o600)
        const room = Math.min(bytes.length, maxBytes - written)
        for (let at = 0; at < room;) at += writeSync(fd, bytes, at, room - at)
        written += room
        if (room < bytes.length) fault = `Only the first ${written} bytes are in it.`
      } catch (error) {
        isLost = true
        fault = `It could not be written: ${(error as Error).message}.`
      }
    },
    finish: (isWanted) => {
      if (fd !== null) closeSync(fd)
      if (fd !== null && (!isWanted || isLost)) unlinkSync(path)
      if (!isWanted) return {}
      return {
        ...(isLost || fd === null ? {} : { spilled: path }),
        ...(fault === null ? {} : { spillFault: fault }),
      }
    },
  }
}
