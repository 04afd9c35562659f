import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TOP } from '../run-tool.ts'
import { countChanges, instrument } from './instrument.ts'

/** What one call passed through. */
export interface Trace {
  readonly tool: string
  readonly entryCount: number
  readonly changeCount: number
}

const SOURCES = join(TOP, 'src/')
const CALLS = [
  { id: 'read', name: 'read_file', args: { path: 'a.txt' } },
  { id: 'write', name: 'write_file', args: { path: 'b.txt', content: 'hello\n' } },
]

// Work that a timer does meanwhile falls into some calls and only adds to them, so the lowest figure counts.
const ROUND_COUNT = 20

async function traceCalls(): Promise<readonly Trace[]> {
  const rounds: (readonly Trace[])[] = []
  for (let round = 0; round < ROUND_COUNT; round += 1) rounds.push(await traceRound())
  return CALLS.flatMap((_, index) => {
    const traces = rounds.flatMap((round) => round[index] ?? [])
    return traces.toSorted((one, other) => one.changeCount - other.changeCount)[0] ?? []
  })
}

/** One of each call in a fresh folder. */
async function traceRound(): Promise<readonly Trace[]> {
  let rooms: string[] = []
  Object.assign(globalThis, { enterRoom: (room: string) => rooms.push(room) })
  const { createRuntime } = await import('../../src/index.ts')
  const top = mkdtempSync(join(tmpdir(), 'tongs-trace-'))
  const root = mkdtempSync(join(top, 'root-'))
  writeFileSync(join(root, 'a.txt'), 'hello\n')
  let asked = 0
  const runtime = await createRuntime({
    root,
    stateDir: join(top, 'state'),
    approve: (requests) => {
      asked += requests.length
      return requests.map(() => 'once')
    },
  })
  const traces: Trace[] = []
  for (const call of CALLS) {
    rooms = []
    const [result] = await runtime.run([call])
    if (result?.ok !== true) throw new Error(`${call.name} failed: ${JSON.stringify(result)}`)
    traces.push({ tool: call.name, entryCount: rooms.length, changeCount: countChanges(rooms) })
  }
  if (asked !== 1) throw new Error(`the write should be approved once and the read unasked; asked ${asked}`)
  await runtime.close()
  rmSync(top, { recursive: true })
  return traces
}

if (import.meta.main) {
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      const path = url.startsWith('file:') ? fileURLToPath(url) : ''
      if (!path.startsWith(SOURCES) || !path.endsWith('.ts')) return loaded
      return { ...loaded, source: instrument(relative(TOP, path), String(loaded.source)) }
    },
  })
  console.log(JSON.stringify(await traceCalls()))
}
