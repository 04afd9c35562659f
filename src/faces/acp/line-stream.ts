import type { Readable, Writable } from 'node:stream'
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk'
import { toJsonLine } from '../../core/text/escape-json.ts'
import { failedAnswer, readFrame, refuseFrame } from '../../wire/json-rpc/frame.ts'
import { LineSplitter } from '../../wire/json-rpc/split-lines.ts'

/** The largest message that is read. */
const MOST_BYTES = 32 * 1024 * 1024

/** Messages as lines, and when they end. */
export interface LineStream {
  readonly stream: Stream
  /**
   * Resolved when the client has gone, or `close` was called. The stream itself stays open: a request that ends with it
   * would be taken for one that was cancelled.
   */
  readonly closed: Promise<void>
  readonly close: () => void
  /** Does something once a request of the client has been answered with a result. */
  readonly onceAnswered: OnceAnswered
}

export type OnceAnswered = (request: unknown, act: () => void) => void

/**
 * Reads and writes messages as lines. A line that is too long, or that is not a message, is answered as such, and the
 * next one is read as ever: what one line says must not end the sessions of a client.
 */
export function openLineStream(input: Readable, output: Writable): LineStream {
  const { promise: closed, resolve: noteClosed } = Promise.withResolvers<void>()
  let isClosed = false
  const afterAnswers = new Map<unknown, () => void>()
  let controller: ReadableStreamDefaultController<AnyMessage> | null = null

  const close = (): void => {
    if (isClosed) return
    isClosed = true
    input.off('data', take)
    input.pause()
    noteClosed()
  }
  const write = (message: unknown): Promise<void> =>
    new Promise((resolve, reject) => {
      if (isClosed) return reject(new Error('the client has gone'))
      output.write(`${toJsonLine(message)}\n`, (error) => {
        if (error === null || error === undefined) resolve()
        else reject(error)
      })
    })
  const refuse = (answer: unknown): void => void write(answer).catch(close)
  const lines = new LineSplitter(MOST_BYTES, {
    onLine: (line) => {
      const frame = readFrame(line, { mayBeNull: true })
      if (!frame.ok) refuse(frame.answer)
      const message = frame.ok ? frame.message : failedAnswer(frame)
      if (message !== null && !isClosed) controller?.enqueue(message as unknown as AnyMessage)
    },
    onTooLong: () => refuse(refuseFrame(`A message has more than ${MOST_BYTES} bytes; it was not read.`)),
  })
  const take = (chunk: Buffer): void => lines.take(chunk)

  const readable = new ReadableStream<AnyMessage>({
    start(given) {
      controller = given
      input.on('data', take)
      input.on('end', close)
      input.on('close', close)
      input.on('error', close)
      // A client that is gone must not end the process by an error that no one handles.
      output.on('error', close)
    },
    cancel: close,
  })
  const writable = new WritableStream<AnyMessage>({
    async write(message) {
      await write(message)
      if ('method' in message) return
      const act = afterAnswers.get(message.id)
      afterAnswers.delete(message.id)
      if ('result' in message) act?.()
    },
  })
  const onceAnswered: OnceAnswered = (request, act) => void afterAnswers.set(request, act)
  return { stream: { readable, writable }, closed, close, onceAnswered }
}
