import { Socket } from 'node:net'
import { isAscii } from 'node:buffer'
import { createBoundedOutput } from './bounded-output.ts'
import type { BoundedText } from './bounded-output.ts'

/** Waiting text of this many characters is delivered at once. */
const FULL_CHUNK = 32_768
/** How long smaller pieces are collected after a delivery. */
const GATHER_MS = 16
/** How long one turn of the event loop reads: a command that prints without end must not hold up the keys of a person. */
const TURN_MS = 4

/** Receives a stream's bytes and text. */
export interface OutputSink {
  readonly onText: ((text: string) => void | Promise<void>) | null
  readonly onBytes: ((bytes: Uint8Array) => void) | null
  /** The listener failed; it gets nothing more. */
  readonly onFault: (error: unknown) => void
}

/** Reads one stream of a command in bounded memory. */
export interface OutputReader {
  readonly totalBytes: () => number
  /** Whether the listener, or the turn that reads, is holding the stream back. */
  readonly isHeldBack: () => boolean
  /** Settles at the end of the stream. */
  readonly ended: Promise<void>
  /** Stops reading and delivers the rest. */
  readonly stop: () => Promise<void>
  readonly isCut: () => boolean
  /** The bounded text, with a note about where the rest is. */
  readonly boundedText: (whereTheRestIs?: string) => BoundedText
}

/** Reads from the pipe with the descriptor `fd`, and closes it at the end. */
export function readOutput(fd: number, keepBytes: number, sink: OutputSink, noteBytes = 0): OutputReader {
  const bounded = createBoundedOutput(keepBytes, noteBytes)
  const decoder = createDecoder()
  let waiting = ''
  let delivery: Promise<void> | null = null
  let gatherUntilMs = 0
  let timer: NodeJS.Timeout | null = null
  let listener = sink.onText

  const deliver = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (waiting === '' || delivery !== null || listener === null) return
    const text = waiting
    waiting = ''
    gatherUntilMs = performance.now() + GATHER_MS
    try {
      const taken = listener(text)
      if (taken === undefined) return
      delivery = taken.catch(failListener).then(() => {
        delivery = null
        deliver()
        socket.resume()
      })
    } catch (error) {
      failListener(error)
    }
  }
  const failListener = (error: unknown): void => {
    listener = null
    waiting = ''
    sink.onFault(error)
  }
  /** A delivery may start another one when it ends. */
  const settle = async (): Promise<void> => {
    for (let open = delivery; open !== null; open = delivery) await open
  }
  const isHeldBack = (): boolean => delivery !== null && waiting.length >= FULL_CHUNK
  let turnEndMs: number | null = null
  let isPaused = false
  const beginTurn = (): void => {
    turnEndMs = null
    if (isPaused && !isHeldBack()) socket.resume()
    isPaused = false
  }
  /** Whether this turn may read on; the next one begins after everything else that is due. */
  const isTurnLeft = (): boolean => {
    isPaused = turnEndMs !== null && performance.now() >= turnEndMs
    return !isPaused
  }
  const take = (count: number): boolean => {
    if (turnEndMs === null) {
      turnEndMs = performance.now() + TURN_MS
      setImmediate(beginTurn)
    }
    const bytes = bounded.take(count)
    sink.onBytes?.(bytes)
    if (listener === null) return isTurnLeft()
    waiting += decoder.decode(bytes)
    if (waiting.length >= FULL_CHUNK || performance.now() >= gatherUntilMs) deliver()
    else timer ??= setTimeout(deliver, GATHER_MS)
    return isTurnLeft() && !isHeldBack()
  }

  const socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: { buffer: () => bounded.room(), callback: take },
  })
  const ended = new Promise<void>((done) => {
    socket.once('close', () => done())
    socket.once('error', () => done())
  })
  socket.resume()
  return {
    totalBytes: bounded.totalBytes,
    isHeldBack: () => isPaused || isHeldBack(),
    ended,
    isCut: bounded.isCut,
    boundedText: bounded.finish,
    stop: async () => {
      socket.destroy()
      await ended
      if (listener !== null) waiting += decoder.end()
      await settle()
      deliver()
      await settle()
    },
  }
}

/** Decodes the bytes of a stream piece by piece; bytes that are not UTF-8 become replacement characters. */
export interface Decoder {
  readonly decode: (bytes: Uint8Array) => string
  /** The rest of a character that was never completed. */
  readonly end: () => string
}

/** Creates a decoder. Plain ASCII, which most output is, takes a path that is several times quicker. */
export function createDecoder(): Decoder {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  /** Whether the decoder holds no part of a character. */
  let isBetween = true
  return {
    decode: (bytes) => {
      if (bytes.length === 0) return ''
      const isPlain = isAscii(bytes)
      if (isBetween && isPlain) {
        return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
      }
      isBetween = isPlain
      return decoder.decode(bytes, { stream: true })
    },
    end: () => decoder.decode(),
  }
}

/** How many polls in a row must find the streams silent after the command has ended, and the time between polls. */
const QUIET_POLLS = 5
const POLL_MS = 20
/** More than any pipe holds: anything after that does not come from the command. */
const MAX_DRAINED_BYTES = 2 * 1024 ** 2

/** Reads what an ended command left in its pipes, without waiting for other processes that hold them open. */
export async function drainOutput(readers: readonly OutputReader[]): Promise<void> {
  const total = (): number => readers.reduce((sum, reader) => sum + reader.totalBytes(), 0)
  const allEnded = Promise.all(readers.map((reader) => reader.ended)).then(() => true)
  const startBytes = total()
  let seenBytes = startBytes
  for (let quietPolls = 0; quietPolls < QUIET_POLLS && seenBytes - startBytes <= MAX_DRAINED_BYTES;) {
    if (await Promise.race([allEnded, pauseAndPoll()])) return
    const isBusy = total() !== seenBytes || readers.some((reader) => reader.isHeldBack())
    quietPolls = isBusy ? 0 : quietPolls + 1
    seenBytes = total()
  }
}

/**
 * Settles only after the event loop has polled its pipes again: if other code kept the loop busy, time passed in which
 * nothing could be read.
 */
export function pauseAndPoll(): Promise<false> {
  return new Promise((done) => setTimeout(() => setImmediate(() => done(false)), POLL_MS))
}
