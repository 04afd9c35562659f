import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { failedAnswer, readFrame, refuseFrame, refuseTakenId } from '../../wire/json-rpc/frame.ts'
import { LineSplitter } from '../../wire/json-rpc/split-lines.ts'

/** The largest message that is read. */
const MOST_BYTES = 16 * 1024 * 1024
/** How long what is under way may still answer after the input has ended. */
const LAST_ANSWERS_MS = 2000

/** Remembers what is wrong with the arguments of calls, from reading a message until its call is made. */
export interface ArgumentProblems {
  readonly note: (id: unknown, problems: readonly string[]) => void
  readonly take: (id: unknown) => readonly string[]
}

const NONE: readonly string[] = []

/** Creates an empty memory. */
export function createArgumentProblems(): ArgumentProblems {
  const known = new Map<unknown, readonly string[]>()
  return {
    note(id, problems) {
      if (problems.length > 0) known.set(id, problems)
    },
    take(id) {
      const problems = known.get(id) ?? NONE
      known.delete(id)
      return problems
    },
  }
}

/**
 * Messages as lines. A line that is too long or no message is answered as such, and the next one is read as ever. After
 * the end of the input, what is under way gets a moment to answer, so that a script can be piped in.
 */
export class LineTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  /** Resolved when the connection is closed, by whomever. */
  readonly closed: Promise<void>
  onmessage?: Transport['onmessage']
  readonly #input: Readable
  readonly #output: Writable
  readonly #problems: ArgumentProblems
  readonly #lines = new LineSplitter(MOST_BYTES, {
    onLine: (line) => this.#readLine(line),
    onTooLong: () =>
      this.#refuse(refuseFrame(`A message has more than ${MOST_BYTES} bytes; it was not read.`)),
  })
  readonly #unanswered = new Set<unknown>()
  /** The ids of questions for the person. */
  readonly #questions = new Set<unknown>()
  #isClosed = false
  #isEnding = false
  #patience: NodeJS.Timeout | undefined
  readonly #noteClosed: () => void

  constructor(input: Readable, output: Writable, problems: ArgumentProblems) {
    this.#input = input
    this.#output = output
    this.#problems = problems
    const { promise, resolve } = Promise.withResolvers<void>()
    this.closed = promise
    this.#noteClosed = resolve
  }

  async start(): Promise<void> {
    this.#input.on('data', this.#take)
    this.#input.on('end', this.#end)
    this.#input.on('close', this.#end)
    this.#input.on('error', this.#fail)
    // Stays on after closing: a client that is gone must not end the process by an error nobody handles.
    this.#output.on('error', this.#fail)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('the connection is closed')
    if (!('method' in message)) {
      this.#unanswered.delete(message.id)
      // Those of a call that was refused before it was made.
      this.#problems.take(message.id)
    }
    if ('method' in message && 'id' in message && message.method === 'elicitation/create')
      this.#questions.add(message.id)
    await this.#write(message)
    if (this.#isEnding && this.#unanswered.size === 0) await this.close()
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearTimeout(this.#patience)
    this.#input.off('data', this.#take)
    this.#input.off('end', this.#end)
    this.#input.off('close', this.#end)
    this.#input.pause()
    this.onclose?.()
    this.#noteClosed()
  }

  readonly #take = (chunk: Buffer): void => this.#lines.take(chunk)

  #readLine(line: string): void {
    const frame = readFrame(line)
    if (!frame.ok) {
      this.#refuse(frame.answer)
      const failed = failedAnswer(frame)
      if (failed !== null) this.onmessage?.(this.#withoutAnswer(failed) as unknown as JSONRPCMessage)
      return
    }
    const { message, problems } = frame
    if (message['method'] === undefined) this.#questions.delete(message['id'])
    if (isRequest(message)) {
      const { id = null } = message
      if (this.#unanswered.has(id)) {
        this.#refuse(refuseTakenId(id, false))
        return
      }
      this.#unanswered.add(message['id'])
      this.#problems.note(message['id'], problems)
    }
    this.onmessage?.(message as unknown as JSONRPCMessage)
    // A request that was cancelled is not answered any more.
    if (message['method'] === 'notifications/cancelled' && isJsonObject(message['params']))
      this.#unanswered.delete(message['params']['requestId'])
  }

  /** A question that got no answer goes on waiting; an error would end the call that asks. */
  #withoutAnswer(failed: JsonObject): JsonObject {
    const { jsonrpc, id } = failed
    return this.#questions.delete(id)
      ? { jsonrpc: jsonrpc ?? '2.0', id: id ?? null, result: { action: 'cancel' } }
      : failed
  }

  readonly #end = (): void => {
    if (this.#isEnding) return
    this.#isEnding = true
    if (this.#unanswered.size === 0) void this.close()
    else this.#patience = setTimeout(() => void this.close(), LAST_ANSWERS_MS)
  }

  readonly #fail = (error: Error): void => {
    this.onerror?.(error)
    void this.close()
  }

  #refuse(answer: JsonObject): void {
    this.#write(answer).catch(this.#fail)
  }

  #write(message: unknown): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#output.write(`${JSON.stringify(message)}\n`, (error) => {
        if (error === null || error === undefined) resolve()
        else reject(error)
      })
    })
  }
}

function isRequest(message: JsonObject): boolean {
  return typeof message['method'] === 'string' && message['id'] !== undefined
}
