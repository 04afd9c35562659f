import { Buffer } from 'node:buffer'
import * as fs from 'node:fs'

const FILE_MODE = 0o600
const LINE_END = 0x0a

/**
 * Adds a line to a regular file, which is made if need be; an empty one only tries whether that could be done. A line that a
 * process did not write to its end is ended first, so that it spoils no other.
 */
export function appendLine(path: string, line: string): void {
  const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK } = fs.constants
  const fd = fs.openSync(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, FILE_MODE)
  try {
    if (!fs.fstatSync(fd).isFile()) throw new Error(`${path} is not a regular file`)
    if (line !== '') fs.writeSync(fd, `${isEnded(path) ? '' : '\n'}${line}\n`)
  } finally {
    fs.closeSync(fd)
  }
}

/** Whether the last line of a file was written to its end; a file that may only be added to is taken to be so. */
function isEnded(path: string): boolean {
  let fd: number
  try {
    fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  } catch {
    return true
  }
  try {
    const { size } = fs.fstatSync(fd)
    const last = Buffer.alloc(1)
    return size === 0 || fs.readSync(fd, last, 0, 1, size - 1) === 0 || last[0] === LINE_END
  } finally {
    fs.closeSync(fd)
  }
}

const CHUNK_BYTES = 1024 ** 2

/** The lines of a regular file, however long it is; one without an end is read like the others. */
export function* readLines(path: string): Generator<string> {
  const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NONBLOCK)
  try {
    if (!fs.fstatSync(fd).isFile()) throw new Error(`${path} is not a regular file`)
    const chunk = Buffer.alloc(CHUNK_BYTES)
    let rest = ''
    for (let read = fs.readSync(fd, chunk); read > 0; read = fs.readSync(fd, chunk)) {
      const lines = (rest + chunk.toString('latin1', 0, read)).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    if (rest !== '') yield rest
  } finally {
    fs.closeSync(fd)
  }
}
