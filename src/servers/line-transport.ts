import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { readFrame } from '../wire/mcp/frame.ts'
import type { ServerProcess } from '../host/serve/start-server.ts'

/** The largest message that is read from a server. */
export const MOST_MESSAGE_BYTES = 8 * 1024 * 1024
const NEWLINE = 0x0a

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
  #parts: Uint8Array[] = []
  #bytes = 0

  constructor(process: ServerProcess) {
    this.#process = process
  }

  async start(): Promise<void> {
    this.#process.onOutput((chunk) => this.#take(chunk))
    void this.#process.ended.then((how) => this.#end(how))
  }

  async send(message: JSONRPCMessage): Promise<void> {
    await this.#process.write(`${JSON.stringify(message)}\n`)
  }

  async close(): Promise<void> {
    this.#end('it was closed')
    await this.#process.close()
  }

  #take(chunk: Uint8Array): void {
    let rest = chunk
    for (let at = rest.indexOf(NEWLINE); at !== -1 && this.endedBy === null; at = rest.indexOf(NEWLINE)) {
      this.#keep(rest.subarray(0, at))
      this.#readLine()
      rest = rest.subarray(at + 1)
    }
    this.#keep(rest)
  }

  #keep(part: Uint8Array): void {
    if (this.endedBy !== null || part.length === 0) return
    this.#bytes += part.length
    this.#parts.push(part)
    if (this.#bytes <= MOST_MESSAGE_BYTES) return
    this.#parts = []
    this.#end(`it sent a message of more than ${MOST_MESSAGE_BYTES} bytes`)
    void this.#process.close()
  }

  #readLine(): void {
    const line = new TextDecoder().decode(joined(this.#parts, this.#bytes)).trim()
    this.#parts = []
    this.#bytes = 0
    if (line === '' || this.endedBy !== null) return
    const frame = readFrame(line)
    if (frame.ok) this.onmessage?.(frame.message as unknown as JSONRPCMessage)
    // What it answers is known, so that request fails now and not by its timeout.
    else if (frame.answer['id'] !== null) this.onmessage?.(frame.answer as unknown as JSONRPCMessage)
    else this.onerror?.(new Error('the server sent a line that is not a message'))
  }

  #end(why: string): void {
    if (this.endedBy !== null) return
    this.endedBy = why
    this.onclose?.()
  }
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const [only] = parts
  if (parts.length === 1 && only !== undefined) return only
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
