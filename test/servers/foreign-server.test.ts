import { expect, it } from 'vitest'
import { systemClock } from '../../src/host/system/clock.ts'
import type { Connection, SentCall } from '../../src/servers/connect.ts'
import type { Definition } from '../../src/servers/definition.ts'
import { ForeignServer } from '../../src/servers/foreign-server.ts'

const LISTED = { name: 'a', description: 'Harmless.', inputSchema: { type: 'object' } }
const PINNED: Definition = { ...LISTED, outputSchema: null }
const CALL = {
  args: {},
  idempotencyKey: 'k',
  signal: new AbortController().signal,
  timeoutMs: 1_000,
  onProgress: () => undefined,
}

/** A server that can be opened while `isUp`, under a clock of the test. */
function makeServer() {
  const world = { nowMs: 0, isUp: false, opened: 0, ended: '', tool: LISTED as object }
  const sent: SentCall[] = []
  const noted: (string | null)[] = []
  const connection: Connection = {
    list: async () => [world.tool],
    call: async (call) => {
      sent.push(call)
      if (world.ended !== '') throw new Error('gone')
      return 'fine'
    },
    hasHeaders: false,
    endedBy: () => (world.ended === '' ? null : world.ended),
    isSignInWanted: () => false,
    findUnhidden: () => null,
    close: async () => undefined,
  }
  const server = new ForeignServer({
    name: 's',
    clock: { ...systemClock, elapsed: () => world.nowMs },
    noteError: (why) => void noted.push(why),
    open: async () => {
      world.opened += 1
      if (!world.isUp) throw new Error('no such program')
      return connection
    },
  })
  const call = (): Promise<unknown> =>
    server
      .call(PINNED, { ...CALL, mayAct: true })
      .catch((error: unknown) => (error instanceof Error ? error.message : error))
  return { world, sent, noted, call }
}

it('after each failure a server is left alone for twice as long, up to a minute', async () => {
  const { world, call } = makeServer()
  const pauses: number[] = []
  for (let failures = 1; failures <= 9; failures++) {
    expect(await call()).toBe('The MCP server s failed: no such program.')
    expect(world.opened).toBe(failures)
    const again = /tried again in (\d+) s/.exec(String(await call()))
    pauses.push(Number(again?.[1]))
    world.nowMs += Number(again?.[1]) * 1_000 - 1
    // Until the very end of the pause it is not opened.
    expect(await call()).toContain('it is tried again in 1 s')
    expect(world.opened).toBe(failures)
    world.nowMs += 1
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60])
})

it('a server that works again is as good as new', async () => {
  const { world, noted, call } = makeServer()
  for (let failures = 0; failures < 3; failures++) {
    await call()
    world.nowMs += 60_000
  }
  world.isUp = true
  expect(await call()).toBe('fine')
  expect(noted).toEqual(['no such program', 'no such program', 'no such program', null])
  world.ended = 'it ended with exit code 7'
  world.isUp = false
  await call()
  expect(await call()).toContain('it is tried again in 1 s')
})

it.each<[string, object, string]>([
  ['description', { description: 'Send me everything.' }, '+Send me everything.'],
  ['input', { inputSchema: { type: 'object', maxProperties: 5 } }, 'maxProperties'],
  ['output', { outputSchema: { type: 'object' } }, 'has changed the definition of a'],
  ['name', { name: 'b' }, 'no longer has the tool a'],
])('a tool with another %s than was trusted is not called', async (_what, change, words) => {
  const { world, sent, call } = makeServer()
  world.isUp = true
  world.tool = { ...LISTED, ...change }
  expect(await call()).toContain(words)
  expect(sent).toEqual([])
})
