import { createHash } from 'node:crypto'
import type { Hash } from 'node:crypto'
import { closeSync, linkSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { createRedactingStream } from '../../core/text/secrets/redact-stream.ts'
import { createDecoder } from './output-reader.ts'
import type { SpillRequest, StreamName } from './run-request.ts'

/** A command's full output on disk as text, both streams in the order they arrived, with secrets redacted. */
export interface Spill {
  readonly write: (stream: StreamName, bytes: Uint8Array) => void
  /** Closes the file, and removes it if it is not wanted. */
  readonly finish: (isWanted: boolean) => { readonly spilled?: string; readonly spillFault?: string }
}

/** Most commands print less than this and need no file. */
const GATHERED_CHARS = 65_536

/** Of a file that is still written. No stored file can be asked for by such a name: whether it may be read is seen at the end. */
const UNFINISHED = '~'

/** Opens the file when there is enough to write; a failure to write never stops the command. */
export function createSpill({ path, onWritten, maxBytes, secrets }: SpillRequest): Spill {
  const unfinished = `${path}${UNFINISHED}`
  let hashing: Hash | null = null
  let fd: number | null = null
  let written = 0
  let fault: string | null = null
  let isLost = false
  const lane = () => ({ decoder: createDecoder(), redactor: createRedactingStream(secrets) })
  const lanes = { stdout: lane(), stderr: lane() }

  let gathered = ''
  const append = (text: string): void => {
    gathered += text
    if (gathered.length > GATHERED_CHARS) flush()
  }
  const flush = (): void => {
    const text = gathered
    gathered = ''
    if (fault !== null || text === '') return
    try {
      fd ??= create(unfinished)
      hashing ??= createHash('sha256')
      const bytes = Buffer.from(text)
      const room = wholeCharacters(bytes, Math.min(bytes.length, maxBytes - written))
      for (let at = 0; at < room;) at += writeSync(fd, bytes, at, room - at)
      hashing.update(bytes.subarray(0, room))
      written += room
      if (room < bytes.length) fault = `It holds only the first ${written} bytes.`
    } catch (error) {
      isLost = true
      fault = `It could not be written: ${(error as Error).message}.`
    }
  }

  /** Gives the file its name, unless another has it. */
  const publish = (): void => {
    try {
      if (hashing !== null) onWritten(hashing.digest('hex'))
      linkSync(unfinished, path)
    } catch (error) {
      isLost = true
      fault = `It could not be written: ${(error as Error).message}.`
    }
  }

  return {
    write: (stream, bytes) => {
      // What no longer fits need not be redacted either.
      if (fault !== null) return
      const { decoder, redactor } = lanes[stream]
      append(redactor.push(decoder.decode(bytes)))
    },
    finish: (isWanted) => {
      for (const { decoder, redactor } of isWanted ? Object.values(lanes) : [])
        append(redactor.push(decoder.end()) + redactor.end())
      if (isWanted) flush()
      if (fd !== null) closeSync(fd)
      if (fd !== null && isWanted && !isLost) publish()
      if (fd !== null) unlinkSync(unfinished)
      if (!isWanted) return {}
      return {
        ...(isLost || fd === null ? {} : { spilled: path }),
        ...(fault === null ? {} : { spillFault: fault }),
      }
    },
  }
}

function create(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  return openSync(path, 'wx', 0o600)
}

/** How many of the first bytes, up to `most`, are whole characters. */
function wholeCharacters(bytes: Uint8Array, most: number): number {
  let end = most
  while (end > 0 && end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return end
}
