import {
  closeSync,
  constants,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Runtime } from '../src/index.ts'
import { openMcpPeer } from './mcp-peer.ts'
import { callFloor, readFloor, writeFloor } from './floors.ts'
import { atLeast, atMost, median, noMoreThan, round, timeInTurns, withLimit } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'

/** Rows 1 and 2: a call through the whole pipeline, journal in memory, against an MCP call in memory. */
export async function pipelineRows(): Promise<readonly Row[]> {
  const place = makePlace()
  const client = await openMcpPeer()
  try {
    writeFileSync(join(place.root, 'small.txt'), 'a small file\n'.repeat(20))
    const runtime = await place.open()
    const times = await timeInTurns(
      {
        mcp: () => client.callTool({ name: 'trivial', arguments: { a: 1, b: 2 } }),
        trivial: () => runtime.run([{ id: '1', name: 'trivial', args: { a: 1, b: 2 } }]),
        read: () => runtime.run([{ id: '1', name: 'read_file', args: { path: 'small.txt' } }]),
      },
      { rounds: 15, runs: 400, warmUp: 150 },
    )
    await runtime.close()
    const trivialCall = atMost(
      '1 whole pipeline for a trivial tool, journal in memory',
      times.trivial,
      times.mcp,
      'us per call',
      0.75,
    )
    const read = atMost(
      '2 read_file of a small file, journal in memory',
      times.read,
      times.mcp,
      'us per call',
      2.5,
    )
    return [withLimit(trivialCall, await callFloor()), withLimit(read, await readFloor(place, 'small.txt'))]
  } finally {
    await client.close()
    place.clean()
  }
}

/** Row 6: full durability, many sessions at once, against as many with normal durability. */
export async function groupRows(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const full = await place.open({ durability: 'full' })
    const normal = await place.open({ durability: 'normal' })
    const sync = openPreallocated(join(place.top, 'preallocated'))
    const many = (runtime: Runtime, count: number) => () =>
      Promise.all(
        Array.from({ length: count }, (_, index) =>
          runtime.run([{ id: '1', name: 'trivial', args: { a: 1, b: 2 } }], { session: `s${index}` }),
        ),
      )
    const times = await timeInTurns(
      {
        normal16: many(normal, 16),
        full16: many(full, 16),
        normal64: many(normal, 64),
        full64: many(full, 64),
        sync: sync.write,
      },
      { rounds: 15, runs: 10, warmUp: 150 },
    )
    sync.close()
    await full.close()
    await normal.close()
    const row = (count: number, fullUs: number, normalUs: number, goal: number): Row =>
      withLimit(
        atLeast(
          `6 durability full, ${count} sessions at once`,
          (count * 1e6) / fullUs,
          (count * 1e6) / normalUs,
          'calls per second',
          goal,
        ),
        `all ${count} calls take ${round(normalUs)} us under normal and ${round(fullUs)} under full, which syncs once for all of them; one fdatasync alone took ${round(times.sync)} us in the same run`,
      )
    return [row(16, times.full16, times.normal16, 0.7), row(64, times.full64, times.normal64, 0.85)]
  } finally {
    place.clean()
  }
}

/** Rows 4 and 5: what durability costs. */
export async function durabilityRows(): Promise<readonly Row[]> {
  const place = makePlace()
  const client = await openMcpPeer()
  try {
    const normal = await place.open({ durability: 'normal' })
    const full = await place.open({ durability: 'full' })
    const call = (runtime: Runtime, session = 's') =>
      runtime.run([{ id: '1', name: 'trivial', args: { a: 1, b: 2 } }], { session })
    const sync = openPreallocated(join(place.top, 'preallocated'))
    const times = await timeInTurns(
      {
        mcp: () => client.callTool({ name: 'trivial', arguments: { a: 1, b: 2 } }),
        normal: () => call(normal),
        sixteen: () => Promise.all(Array.from({ length: 16 }, (_, index) => call(normal, `s${index}`))),
        full: () => call(full),
        sync: sync.write,
      },
      { rounds: 9, runs: 200, warmUp: 150 },
    )
    sync.close()
    await normal.close()
    await full.close()
    const floor = await writeFloor(place)
    const alone = atMost(
      '4 durability normal, one after the other',
      times.normal,
      times.mcp,
      'us per call',
      3,
    )
    const sixteen = atMost(
      '4 durability normal, 16 sessions at once',
      times.sixteen / 16,
      times.mcp,
      'us per call',
      2.2,
    )
    return [
      withLimit(alone, floor),
      withLimit(sixteen, floor),
      withLimit(
        atLeast(
          '5 durability full against one fdatasync, throughput',
          1e6 / times.full,
          1e6 / times.sync,
          'calls per second',
          0.55,
        ),
        `a call takes ${round(times.full)} us; in the same run one fdatasync took ${round(times.sync)} and the same call under normal, which syncs nothing, ${round(times.normal)}`,
      ),
    ]
  } finally {
    await client.close()
    place.clean()
  }
}

function openPreallocated(path: string): { readonly write: () => void; readonly close: () => void } {
  const fd = openSync(path, constants.O_CREAT | constants.O_RDWR)
  const block = new Uint8Array(4096).fill(1)
  ftruncateSync(fd, 0)
  for (let i = 0; i < 256; i++) writeSync(fd, block, 0, block.length, i * block.length)
  fdatasyncSync(fd)
  let at = 0
  return {
    write() {
      writeSync(fd, block, 0, block.length, (at++ % 256) * block.length)
      fdatasyncSync(fd)
    },
    close: () => closeSync(fd),
  }
}

/** Rows 13 and 15: what many calls leave behind in memory. */
export async function lengthRows(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    // In memory the journal itself is what is kept; on disk nothing of a call should be.
    const runtime = await place.open({ durability: 'normal' })
    const once = () => runtime.run([{ id: '1', name: 'trivial', args: { a: 1, b: 2 } }], { session: 'heap' })
    const heap = await heapPerCall(once)
    await runtime.close()
    const long = await place.open({ durability: 'normal' })
    const call = () => long.run([{ id: '1', name: 'trivial', args: { a: 1, b: 2 } }], { session: 'long' })
    const early = await sliceOf(call, 50, 150)
    for (let i = 150; i < 9_950; i++) await call()
    const late = await sliceOf(call, 9_950, 10_050)
    await long.close()
    return [
      noMoreThan('13 heap kept per call over 100,000 calls', heap, 'bytes', 5),
      atMost('15 the 10,000th call of a session against its 100th', late, early, 'us per call', 1.2),
    ]
  } finally {
    place.clean()
  }
}

async function sliceOf(call: () => Promise<unknown>, from: number, to: number): Promise<number> {
  const times: number[] = []
  for (let i = 0; i < from; i++) if (from < 1000) await call()
  for (let i = from; i < to; i++) {
    const start = performance.now()
    await call()
    times.push((performance.now() - start) * 1000)
  }
  return median(times)
}

/** Garbage is collected between two looks, so that only what is kept counts. */
async function heapPerCall(call: () => Promise<unknown>): Promise<number> {
  const collect = globalThis.gc
  if (collect === undefined) throw new Error('run with --expose-gc')
  for (let i = 0; i < 5_000; i++) await call()
  collect()
  const before = process.memoryUsage().heapUsed
  const calls = 100_000
  for (let i = 0; i < calls; i++) await call()
  collect()
  return (process.memoryUsage().heapUsed - before) / calls
}
