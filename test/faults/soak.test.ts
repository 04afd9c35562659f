import * as fs from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { ToolCall } from '../../src/core/call.ts'
import { createRuntime } from '../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../src/runtime/create-runtime.ts'
import { makeWorld } from '../harness/faults/world/world.ts'
import { chooserFrom, HARDENING_SEED } from '../harness/long-run.ts'
import { say } from '../harness/say.ts'

const CALLS = Number(process.env['SOAK_CALLS'] ?? 120)
const SESSIONS = Number(process.env['SOAK_SESSIONS'] ?? 8)
const TIMEOUT_MS = 3 * 3_600_000
/** A clock that runs so much faster than the machine's crosses hours and days during a run. */
const FASTER = 1_000
/** Old contents are erased beyond it, again and again in a long run. */
const MOST_BYTES = 8 * 1024 ** 2
/** Descriptors that a runtime keeps; each session has two of its own. */
const MOST_DESCRIPTORS = 24
/** So many folders stay open at most, and the files of so many commits are synced at once. */
const MOST_FOLDERS = 64
const MOST_SYNCED = 64

const world = makeWorld()
afterAll(world.remove)

/** One of a mix of calls; every text that it writes carries the tag of its session. */
function mixedCall(choose: (limit: number) => number, session: string, turn: number): ToolCall {
  const id = `${session}-${turn}`
  const path = `${session}/${choose(3)}.txt`
  const calls: readonly Omit<ToolCall, 'id'>[] = [
    { name: 'write_file', args: { path, content: `${id}\n` } },
    { name: 'read_file', args: { path: `${session}/tag.txt` } },
    { name: 'list_directory', args: { path: session } },
    { name: 'glob', args: { patterns: [`${session}/*.txt`] } },
    { name: 'read_file', args: { path: `${session}/missing.txt` } },
  ]
  const { name, args } = calls[choose(calls.length)] ?? { name: 'glob', args: {} }
  return { id, name, args }
}

/** Makes the calls of one session, one after the other; says what is not as it should be. */
async function soak(
  runtime: Runtime,
  session: string,
  count: number,
  seed: number,
): Promise<readonly string[]> {
  const choose = chooserFrom(seed)
  const faults: string[] = []
  for (let turn = 0; turn < count; turn++) {
    const call = mixedCall(choose, session, turn)
    const [result] = await runtime.run([call], { session })
    if (result?.id !== call.id) faults.push(`${call.id} was answered with ${result?.id}`)
    if (result?.ok === false && !JSON.stringify(call.args).includes('missing.txt'))
      faults.push(`${call.id} ${call.name} failed: ${result.error.message}`)
    const isTag = call.name === 'read_file' && result?.ok === true
    if (isTag && !result.content.includes(`tag of ${session}.`))
      faults.push(`${call.id} read ${result.content}`)
  }
  return faults
}

function checkLog(runtime: Runtime, session: string, count: number): readonly string[] {
  const entries = [...runtime.log({ session })].map(({ entry }) => entry)
  const asked = entries.flatMap((entry) => (entry.kind === 'batch' ? entry.calls.map(({ id }) => id) : []))
  const wanted = Array.from({ length: count }, (_, turn) => `${session}-${turn}`)
  const settled = entries.filter(({ kind }) => kind === 'settled').length
  return [
    ...(asked.join() === wanted.join()
      ? []
      : [`${session}: its calls are not in order, or are those of others`]),
    ...(settled === count ? [] : [`${session}: ${settled} results for ${count} calls`]),
  ]
}

const descriptors = (): number => fs.readdirSync('/proc/self/fd').length

it(
  `${SESSIONS} sessions at once on one journal keep their order and nothing of each other, and nothing grows, over ${CALLS} mixed calls`,
  { timeout: TIMEOUT_MS },
  async () => {
    const started = Date.now()
    const elapsed = (): number => Date.now() - started
    const clock = { now: () => started + elapsed() * FASTER, elapsed }
    const names = Array.from({ length: SESSIONS }, (_, at) => `s${at}`)
    for (const name of names) {
      fs.mkdirSync(join(world.root, name))
      fs.writeFileSync(join(world.root, name, 'tag.txt'), `tag of ${name}.\n`)
    }
    const runtime = await createRuntime({
      root: world.root,
      stateDir: world.stateDir,
      clock,
      approve: (requests) => requests.map(() => 'once' as const),
      config: { 'journal.max_bytes': MOST_BYTES },
    })
    try {
      const each = Math.ceil(CALLS / SESSIONS)
      const play = (): Promise<readonly (readonly string[])[]> =>
        Promise.all(names.map((name, at) => soak(runtime, name, each, HARDENING_SEED + at)))
      const before = descriptors()
      const faults = (await play()).flat()
      expect(faults.slice(0, 5)).toEqual([])
      expect(names.flatMap((name) => checkLog(runtime, name, each)).slice(0, 5)).toEqual([])
      expect(descriptors() - before).toBeLessThan(
        MOST_DESCRIPTORS +
          2 * SESSIONS +
          Math.min(SESSIONS, MOST_FOLDERS) +
          Math.min(each * SESSIONS, MOST_SYNCED),
      )
      expect((await runtime.verify()).ok).toBe(true)
      if (CALLS > 1_000)
        say(
          `${each * SESSIONS} calls of ${SESSIONS} sessions in ${elapsed()} ms, ${Math.round(process.memoryUsage.rss() / 1024 ** 2)} MiB`,
        )
    } finally {
      await runtime.close()
    }
  },
)
