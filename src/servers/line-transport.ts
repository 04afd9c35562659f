import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { MOST_MESSAGE_BYTES } from '../host/web/bounded-fetch.ts'
import { LineSplitter } from '../wire/json-rpc/split-lines.ts'
import type { ServerProcess } from '../host/serve/start-server.ts'
import { withNoAnswer } from './answered-fetch.ts'
import { readServerFrame } from './read-server-frame.ts'

/**
 * Messages as lines of a program. A line that is too long ends the connection, because what it answers is not known; one
 * that is not a message is passed over.
 */
export class ServerLines implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  /** Why the connection ended; null while it is open. */
  endedBy: string | null = null
  readonly #process: ServerProcess
  readonly #lines = new LineSplitter(MOST_MESSAGE_BYTES, {
    onLine: (line) => this.#readLine(line),
    onTooLong: () => {
      this.#end(`it sent a message of more than ${MOST_MESSAGE_BYTES} bytes`)
      void this.#process.close()
    },
  })

  constructor(process: ServerProcess) {
    this.#process = process
  }

  async start(): Promise<void> {
    this.#process.onOutput((chunk) => this.#lines.take(chunk))
    void this.#process.ended.then((how) => this.#end(how))
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#process.write(`${JSON.stringify(message)}\n`)
  }

  /** Rejects if the server has made a git repository; it is ended then. */
  async checkGit(): Promise<void> {
    if (this.endedBy !== null) return
    await this.#process.endIfItMadeGit()
    if (this.endedBy !== null) throw new Error(this.endedBy)
  }

  async close(): Promise<void> {
    this.#end('it was closed')
    await this.#process.close()
  }

  #readLine(line: string): void {
    if (this.endedBy !== null) return
    const frame = readServerFrame(line)
    if (frame.ok) this.onmessage?.(frame.message as unknown as JSONRPCMessage)
    // What it answers is known, so that request fails now and not by its timeout.
    else if (frame.answers !== null)
      this.onmessage?.(withNoAnswer({ ...frame.answer, id: frame.answers }) as unknown as JSONRPCMessage)
    else this.onerror?.(new Error('the server sent a line that is not a message'))
  }

  #end(why: string): void {
    if (this.endedBy !== null) return
    this.endedBy = why
    this.onclose?.()
  }
}
