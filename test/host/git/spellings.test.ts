import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { HARDENING_SEED, roundsOf, triesOf } from '../../harness/long-run.ts'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'

const [NODE, MODULE] = ordinaryProgram(new URL('spellings-process.ts', import.meta.url))
const TRIES = triesOf(roundsOf(10, 40), 5_000)
const CONTROL_TRIES = 40
const TIMEOUT_MS = 240_000 + 500 * TRIES

interface Report {
  readonly uid: number
  readonly tried: number
  readonly missed: readonly string[]
}

async function compare(how: 'root' | 'ordinary' | 'control', tries: number): Promise<Report> {
  const args = [MODULE, how, String(HARDENING_SEED), String(tries)]
  const { stdout } = await promisify(execFile)(NODE, args, { timeout: TIMEOUT_MS, maxBuffer: 1e8 })
  return JSON.parse(stdout) as Report
}

describe('a folder of hooks, however the configuration spells it', () => {
  it.for(['root', 'ordinary'] as const)(
    'is protected where git would look for it, as %s',
    { timeout: TIMEOUT_MS },
    async (user) => {
      const { uid, tried, missed } = await compare(user, TRIES)
      expect(uid === 0).toBe(user === 'root' && process.getuid?.() === 0)
      expect({ seed: HARDENING_SEED, missed }).toEqual({ seed: HARDENING_SEED, missed: [] })
      expect(tried).toBe(TRIES)
    },
  )

  it('control: one who reads it by a regular expression misses many', async () => {
    const { missed } = await compare('control', CONTROL_TRIES)
    expect(missed.length).toBeGreaterThan(CONTROL_TRIES / 4)
  })
})
