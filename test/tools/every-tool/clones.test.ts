import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { HARDENING_SEED, roundsOf, triesOf } from '../../harness/long-run.ts'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'

const [NODE, MODULE] = ordinaryProgram(new URL('clone-process.ts', import.meta.url))
const TRIES = triesOf(roundsOf(1, 3), 400)
const CONTROL_TRIES = 3
const TIMEOUT_MS = 240_000 + 30_000 * TRIES

interface Report {
  readonly uid: number
  readonly broken: readonly string[]
}

async function openClones(how: 'root' | 'ordinary' | 'control', tries: number): Promise<Report> {
  const args = [MODULE, how, String(how === 'control' ? 1 : HARDENING_SEED), String(tries)]
  const { stdout } = await promisify(execFile)(NODE, args, { timeout: TIMEOUT_MS, maxBuffer: 1e8 })
  return JSON.parse(stdout) as Report
}

describe('a clone with odd files in any places', () => {
  it.for(['root', 'ordinary'] as const)(
    'is opened, searched, tested and edited, and nothing waits or takes much memory, as %s',
    { timeout: TIMEOUT_MS },
    async (user) => {
      const { uid, broken } = await openClones(user, TRIES)
      expect(uid === 0).toBe(user === 'root' && process.getuid?.() === 0)
      expect({ seed: HARDENING_SEED, broken }).toEqual({ seed: HARDENING_SEED, broken: [] })
    },
  )

  it('control: a program that just reads these files waits for some of them', async () => {
    const { broken } = await openClones('control', CONTROL_TRIES)
    expect(broken.length).toBeGreaterThan(0)
  })
})
