import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeShop, shopHere } from './command-line.ts'
import { layersOf, shellCall } from './land-command.ts'
import { HARDENING_SEED, roundsOf } from '../../harness/long-run.ts'

const MODULE = join(import.meta.dirname, 'kill-at-commit.ts')
/** More commits than an answer makes. */
const MOST_COMMITS = 30
/** Of so many moments one is tried, others in every run. */
const EVERY = roundsOf(3, 1)

it(
  'a yes to a landing is never lost, whenever its process is killed: it lands, or it is asked about again',
  {
    timeout: PATIENCE_MS * 4,
  },
  async () => {
    const ends: string[] = []
    for (let at = 1 + (HARDENING_SEED % EVERY); at <= MOST_COMMITS; at += EVERY) {
      const s = makeShop({ 'a.txt': 'a\n' })
      onTestFinished(s.remove)
      const here = shopHere(s)
      await here.batch([shellCall('echo once >> a.txt; echo new > n')])
      const when = { TONGS_KILL_AT: `${at % 2 === 0 ? 'before' : 'after'} ${Math.ceil(at / 2)}` }
      const killed = await s.tongs(['approve', 'all', '--json'], { node: ['--import', MODULE], env: when })
      if (killed.signal !== 'SIGKILL') break
      // Any command finishes what was interrupted.
      await here.tongs(['recover', '--resume', '--json'])
      const isLanded = here.get('a.txt') !== 'a\n'
      const waiting = await here.pendingIds()
      ends.push(`${when.TONGS_KILL_AT}: ${isLanded ? 'landed' : waiting.length > 0 ? 'asked again' : 'lost'}`)
      const last = await here.tongs(['approve', 'all', '--json'])
      expect([here.get('a.txt'), here.get('n')], `${ends.join('; ')} ${last.out} ${last.err}`).toEqual([
        'a\nonce\n',
        'new\n',
      ])
      expect(await here.pendingIds()).toEqual([])
      expect((await here.tongs(['audit', 'verify'])).code).toBe(0)
      expect(layersOf(s).length).toBeLessThanOrEqual(1)
    }
    expect(ends.filter((end) => end.endsWith('lost'))).toEqual([])
    expect(ends.filter((end) => end.endsWith('landed')).length).toBeGreaterThan(0)
    expect(ends.filter((end) => end.endsWith('asked again')).length).toBeGreaterThan(roundsOf(0, 3))
  },
)

it(
  'a no to a landing that was not recorded leaves its layer whole: a yes to the same question lands all of it',
  { timeout: PATIENCE_MS * 4 },
  async () => {
    const ends: string[] = []
    for (let at = 1 + (HARDENING_SEED % EVERY); at <= MOST_COMMITS; at += EVERY) {
      const s = makeShop({ 'a.txt': 'a\n' })
      onTestFinished(s.remove)
      const here = shopHere(s)
      // By a process of its own, after whose end nothing belongs to anybody.
      await s.batch([shellCall('echo once >> a.txt; echo new > n')])
      const when = { TONGS_KILL_AT: `${at % 2 === 0 ? 'before' : 'after'} ${Math.ceil(at / 2)}` }
      const killed = await s.tongs(['deny', 'all', '--json'], { node: ['--import', MODULE], env: when })
      if (killed.signal !== 'SIGKILL') break
      const isAsked = (await here.pendingIds()).length > 0
      ends.push(`${when.TONGS_KILL_AT}: ${isAsked ? 'asked again' : 'dropped'}`)
      const last = await here.tongs(['approve', 'all', '--json'])
      expect(here.get('a.txt'), `${ends.join('; ')} ${last.out} ${last.err}`).toBe(
        isAsked ? 'a\nonce\n' : 'a\n',
      )
      // Preparing a command sweeps what nobody needs.
      await here.batch([shellCall('true')])
      expect(layersOf(s).length).toBe(isAsked ? 1 : 0)
    }
    expect(ends.filter((end) => end.endsWith('asked again')).length).toBeGreaterThan(roundsOf(0, 1))
  },
)
