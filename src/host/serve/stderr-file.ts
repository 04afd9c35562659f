import { closeSync, constants, fchmodSync, ftruncateSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

const PRIVATE = 0o600
/** Beyond this, only the last part stays. */
const MOST_BYTES = 256 * 1024
const TAIL_BYTES = 64 * 1024

/** A file with the newest part of what a process wrote to its stderr. */
export interface StderrFile {
  readonly take: (chunk: Uint8Array) => void
  /** The end of what it wrote, as text. */
  readonly tail: (chars: number) => string
  readonly close: () => void
}

/** Empties the file at this path and keeps stderr in it. A disk that is full costs the file, and nothing else. */
export function openStderrFile(path: string): StderrFile {
  let fd = openOrNull(path)
  let size = 0
  let tail = new Uint8Array()
  const write = (bytes: Uint8Array): void => {
    if (fd === null) return
    try {
      if (size + bytes.length > MOST_BYTES) {
        ftruncateSync(fd, 0)
        size = 0
      }
      writeSync(fd, bytes, 0, bytes.length, size)
      size += bytes.length
    } catch {
      close()
    }
  }
  const close = (): void => {
    if (fd !== null) closeSync(fd)
    fd = null
  }
  return {
    take(chunk) {
      const isFull = size + chunk.length > MOST_BYTES
      const joined = new Uint8Array(tail.length + chunk.length)
      joined.set(tail)
      joined.set(chunk, tail.length)
      tail = joined.slice(-TAIL_BYTES)
      write(isFull ? tail : chunk)
    },
    tail: (chars) => new TextDecoder().decode(tail).slice(-chars),
    close,
  }
}

function openOrNull(path: string): number | null {
  const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const fd = openSync(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK, PRIVATE)
    fchmodSync(fd, PRIVATE)
    return fd
  } catch {
    return null
  }
}
