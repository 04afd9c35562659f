import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { onTestFinished } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { serveStreams } from '../../../src/faces/mcp/serve.ts'
import { openServed } from './open-client.ts'
import type { Served } from './open-client.ts'

/** A client that writes what it likes, and reads every line. */
export interface RawClient extends Served {
  readonly input: PassThrough
  readonly next: () => Promise<JsonObject>
  /** Ends when the server does. */
  readonly serving: Promise<unknown>
}

/** Serves a root of its own over a pair of streams, without the library of a client. */
export async function openRaw(): Promise<RawClient> {
  const served = await openServed()
  const { runtime, stateDir } = served
  const [input, output] = [new PassThrough(), new PassThrough()]
  const stop = new AbortController()
  const serving = serveStreams(
    { runtime, stateDir, signal: stop.signal, tell: () => undefined },
    input,
    output,
  )
  onTestFinished(async () => {
    stop.abort()
    await serving
  })
  const lines = createInterface(output)[Symbol.asyncIterator]()
  const next = async (): Promise<JsonObject> => JSON.parse((await lines.next()).value ?? 'null') as JsonObject
  return { ...served, input, next, serving }
}
