import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { findRipgrep } from '../../../src/host/search/ripgrep.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { FASTEST, makeScratch } from '../../harness/scratch.ts'
import { SECRET, SECRET_NAME, startSwapRace } from '../../harness/swap-race.ts'
import { matchesOf } from './found.ts'
import { roundsOf } from '../../harness/long-run.ts'

const TRIES = process.env['TONGS_LONG'] === '1' ? 5_000 : roundsOf(8, 25)
const CONTROL_TRIES = 2_000

describe('searching while folders and links change places', () => {
  it('F-TOOL-search: shows nothing from outside, where the bare search program does', async () => {
    const scratch = makeScratch(FASTEST)
    const race = await startSwapRace(scratch)
    const runtime = await createRuntime({
      root: race.root,
      stateDir: scratch.folder('state'),
      durability: 'memory',
    })
    try {
      let found = 0
      for (let at = 0; at < TRIES; at++) {
        const args = { query: 'inside|secret', is_regex: true, max_results: 1_000 }
        const [result] = await runtime.run([{ id: '1', name: 'search', args }])
        const text = JSON.stringify(result)
        expect([text.includes(SECRET), text.includes(SECRET_NAME)]).toEqual([false, false])
        found += matchesOf(result).length
      }
      expect(found).toBeGreaterThan(TRIES)
      expect(await leaksBare(race.root)).toBe(true)
    } finally {
      await runtime.close()
      await race.stop()
    }
  })
})

/** The control: the same race is lost without the look at what is really inside. */
async function leaksBare(root: string): Promise<boolean> {
  const program = (await findRipgrep()) ?? ''
  for (let at = 0; at < CONTROL_TRIES; at++) {
    const { stdout } = spawnSync(program, ['--no-config', SECRET, './'], { cwd: root, encoding: 'utf8' })
    if (stdout.includes(SECRET)) return true
  }
  return false
}
