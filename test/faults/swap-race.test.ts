import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createRuntime } from '../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../src/runtime/create-runtime.ts'
import { startSwapping } from '../harness/faults/swapping.ts'
import { FASTEST, makeScratch } from '../harness/scratch.ts'
import { roundsOf } from '../harness/long-run.ts'

const isLong = process.env['TONGS_LONG'] === '1'
/** Each is a batch through the whole pipeline; the root below it is raced far more often by its own tests. */
const ROUNDS = isLong ? 20_000 : roundsOf(60, 300)
const CONTROL_TRIES = 2_000_000
const TIMEOUT_MS = isLong ? 3_600_000 : 300_000

const PLACES = ['spot/deep', 'hall/room/deep', 'hall/room', 'spot']

/** Makes, changes and patches files in folders that are swapped all the time, and takes some of it back. */
async function editOnce(runtime: Runtime, round: number): Promise<readonly string[]> {
  const place = PLACES[round % PLACES.length] ?? ''
  const patch = `LP1\nF ${place}/f.txt\nT\nline ${round}\n.\nF ${place}/fresh-${round}/p.txt\nT\nnew\n.\nF file.txt\nB\ntop\n.\nEND`
  const calls = [
    ['write_file', { path: `${place}/w-${round}.txt`, content: 'written' }],
    ['read_file', { path: `${place}/f.txt` }],
    ['read_file', { path: 'file.txt' }],
    ['apply_patch', { patch }],
    ['write_file', { path: `${place}/victim.txt`, content: 'x', append: true }],
  ] as const
  const session = `s${round % 20}`
  const results = await runtime.run(
    calls.map(([name, args], index) => ({ id: `c${index}`, name, args })),
    { session },
  )
  if (round % 2 === 0) await runtime.undo({ session, turn: true })
  return results.map((result) => (result.ok ? 'done' : result.error.code))
}

it(
  `FR-VAL-06: edits and undo in folders that are swapped for links change nothing outside, in ${ROUNDS} batches`,
  { timeout: TIMEOUT_MS },
  async () => {
    const scratch = makeScratch(FASTEST)
    const swaps = await startSwapping(scratch)
    const runtime = await createRuntime({
      root: swaps.root,
      stateDir: scratch.at('state'),
      durability: 'memory',
      approve: (asked) => asked.map(() => 'once'),
    })
    const outcomes = new Map<string, number>()
    try {
      for (let round = 0; round < ROUNDS; round++)
        for (const outcome of await editOnce(runtime, round))
          outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
      expect(swaps.damage()).toEqual([])
      expect(swaps.isAlive()).toBe(true)
    } finally {
      await swaps.stop()
      await runtime.close()
    }
    // Both must have happened, or nothing was raced.
    expect(outcomes.get('done')).toBeGreaterThan(ROUNDS / 10)
    expect(
      (outcomes.get('path_outside_sandbox') ?? 0) + (outcomes.get('execution_failed') ?? 0),
    ).toBeGreaterThan(ROUNDS / 10)
  },
)

/** What looks safe: see where the folder really is, then write there. */
function writeNaively(root: string, round: number): void {
  try {
    const folder = fs.realpathSync.native(join(root, 'spot/deep'))
    if (folder.startsWith(`${root}/`)) fs.writeFileSync(join(root, 'spot/deep', `naive-${round}.txt`), 'x')
  } catch {
    // The folder was not there at that moment.
  }
}

it('catches a naive writer, so it would catch us', { timeout: TIMEOUT_MS }, async () => {
  const swaps = await startSwapping(makeScratch(FASTEST))
  try {
    for (let tries = 0; tries < CONTROL_TRIES && swaps.damage().length === 0; tries += 500)
      for (let round = tries; round < tries + 500; round++) writeNaively(swaps.root, round)
    expect(swaps.damage()).not.toEqual([])
  } finally {
    await swaps.stop()
  }
})
