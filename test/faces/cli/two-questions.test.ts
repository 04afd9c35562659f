import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeShop, shopHere, useShops } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { shellCall } from './land-command.ts'
import { someOf } from '../../harness/long-run.ts'

const openShop = useShops()
const CHANGE = shellCall('echo two > a.txt')

interface Waiting {
  readonly id: string
  readonly kind: string
  readonly why: string
  readonly diff: string | null
}

async function waitingIn(s: Shop): Promise<readonly Waiting[]> {
  const { out } = await s.tongs(['pending', '--json'])
  return (JSON.parse(out) as { approvals: Waiting[] }).approvals
}

const CONSENT = '[[tools.rules]]\ntool = "run_shell"\ntype = "RequiresConsent"\n'

/** What asks before the run without being told to ask there instead of at the landing, and the options it takes. */
const MORE_CAUTION: readonly (readonly [string, (s: Shop) => readonly string[]])[] = [
  [
    'a rule that requires consent, in the file of a project',
    (s) => {
      s.put('.tongs.toml', CONSENT)
      return []
    },
  ],
  [
    'a project whose file says before',
    (s) => {
      s.put('.tongs.toml', 'tools.shell.ask = "before"\n')
      return []
    },
  ],
  [
    'a gate that has the call asked about',
    (s) => {
      const gate = join(s.root, '..', 'gate.sh')
      s.put('../gate.sh', '#!/bin/sh\necho ask\n')
      chmodSync(gate, 0o755)
      return ['--set', `tools.gates=[{name="g", command=[${JSON.stringify(gate)}], timeout_seconds=60}]`]
    },
  ],
  ['your own wish for both', () => ['--set', 'tools.shell.ask=both']],
]

describe('a command that is asked about before it runs', () => {
  it.each(someOf(MORE_CAUTION, 2))('is asked about what it changed as well: %s', async (_what, prepare) => {
    const s = openShop({ 'a.txt': 'one\n' })
    const words = prepare(s)
    const first = await s.batch([CHANGE], ...words)
    expect(first.rows[0]?.execution.state, first.err).toBe('VALIDATED')
    const [early] = await waitingIn(s)
    expect(early).toMatchObject({ kind: 'call', diff: null })
    expect(early?.why).toContain('asked about before it lands')
    const ran = await s.tongs(['approve', early?.id ?? '', '--json', ...words])
    expect(ran.rows[0]?.execution.state).toBe('EXECUTING')
    expect(s.get('a.txt')).toBe('one\n')
    const [landing] = await waitingIn(s)
    expect(landing?.kind).toBe('landing')
    expect(landing?.diff).toContain('+two')
    expect(landing?.why).not.toContain('asked about before it lands')
    expect((await s.tongs(['approve', landing?.id ?? '', '--json', ...words])).code).toBe(0)
    expect(s.get('a.txt')).toBe('two\n')
  })

  it('is not asked twice if nothing would ask about its changes', async () => {
    const s = openShop({ 'a.txt': 'one\n', '.tongs.toml': CONSENT })
    await s.batch([CHANGE], '--preset', 'auto')
    expect((await s.tongs(['approve', 'all', '--json', '--preset', 'auto'])).code).toBe(0)
    expect(s.get('a.txt')).toBe('two\n')
  })

  it(
    'has changed nothing yet whenever its process is killed after that yes',
    { timeout: PATIENCE_MS * 4 },
    async () => {
      let kills = 0
      for (let at = 1; ; at++) {
        const s = makeShop({ 'a.txt': 'one\n', '.tongs.toml': CONSENT })
        onTestFinished(s.remove)
        const here = shopHere(s)
        await here.batch([CHANGE])
        const killed = await s.tongs(['approve', 'all', '--json'], {
          node: ['--import', join(import.meta.dirname, 'kill-at-commit.ts')],
          env: { TONGS_KILL_AT: `after ${at}` },
        })
        if (killed.signal !== 'SIGKILL') break
        kills += 1
        await here.tongs(['recover', '--resume', '--json'])
        expect(here.get('a.txt'), `killed after commit ${at}`).toBe('one\n')
        const waiting = await waitingIn(here)
        expect(waiting.every(({ kind, diff }) => kind === 'landing' && diff !== null)).toBe(true)
      }
      expect(kills).toBeGreaterThan(2)
    },
  )
})
