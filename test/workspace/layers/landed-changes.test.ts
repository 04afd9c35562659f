import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { HARDENING_SEED, roundsOf } from '../../harness/long-run.ts'

const PROGRAM = ordinaryProgram(new URL('layer-read-process.ts', import.meta.url))
const ROUNDS = Number(process.env['LAYER_ROUNDS'] ?? roundsOf(2, 6))

interface Outcome {
  readonly uid: number
  readonly faults: readonly { readonly seed: number; readonly script: string; readonly fault: string }[]
}

async function tryAs(how: 'root' | 'ordinary' | 'forgetful', rounds: number): Promise<Outcome> {
  const [node, module] = PROGRAM
  const args = [module, how, `${rounds}`, how === 'forgetful' ? '1' : `${HARDENING_SEED}`]
  const { stdout } = await promisify(execFile)(node, args, { timeout: PATIENCE_MS })
  return JSON.parse(stdout) as Outcome
}

describe('what was read from a layer', () => {
  it.concurrent.for(['root', 'ordinary'] as const)(
    'lands as exactly what the command saw, without what is left out, whatever it did (as %s)',
    async (who) => {
      const { uid, faults } = await tryAs(who, ROUNDS)
      expect(uid === 0).toBe(who === 'root' && process.getuid?.() === 0)
      expect(faults).toEqual([])
    },
  )

  it.concurrent('is not all that changed if a change is missing', async () => {
    const { faults } = await tryAs('forgetful', 3)
    expect(faults.length).toBeGreaterThan(0)
  })
})
