import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { HARDENING_SEED, someOf, triesOf } from '../../harness/long-run.ts'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { controls, gotThrough } from './controls.ts'
import { everyAttack } from './every-attack.ts'

/** So many attacks are tried by each user, others in every run. */
const ATTACKS = 15
const ROUNDS = triesOf(1, 30)
const TIMEOUT_MS = (ROUNDS + 1) * PATIENCE_MS
const PROGRAM = ordinaryProgram(new URL('attack-process.ts', import.meta.url))

interface Outcomes {
  readonly uid: number
  readonly outcomes: Readonly<Record<string, string | null>>
}

/** The process holds an open folder of the machine, as careless parents leave them to their children. */
async function attackAs(
  user: 'root' | 'ordinary' | 'control',
  names: readonly string[],
  seed = 0,
): Promise<Outcomes> {
  const careless = [
    '-c',
    'exec 100</ ; exec "$@"',
    'sh',
    ...PROGRAM,
    user,
    String(seed),
    JSON.stringify(names),
  ]
  const env = { ...process.env, ATTACK_SECRET: 'in-the-environment-0815' }
  const { stdout } = await promisify(execFile)('bash', careless, { env, timeout: TIMEOUT_MS })
  return JSON.parse(stdout) as Outcomes
}

describe('a sandboxed command', () => {
  it.concurrent.for(['root', 'ordinary'] as const)(
    'F-SAFE-NET: gets at nothing outside of its workspace, nor at the network, started as %s',
    { timeout: TIMEOUT_MS },
    async (user) => {
      const names = someOf(Object.keys(everyAttack), ATTACKS)
      const held = Object.fromEntries(names.map((name) => [name, null]))
      for (let round = 0; round < ROUNDS; round++) {
        const seed = round === 0 ? 0 : HARDENING_SEED + round
        const { uid, outcomes } = await attackAs(user, names, seed)
        expect(uid === 0).toBe(user === 'root' && process.getuid?.() === 0)
        expect({ seed, outcomes }).toEqual({ seed, outcomes: held })
      }
    },
  )

  it.concurrent('would get at it without the sandbox, as far as that can be tried without harm', async () => {
    const names = someOf(controls, ATTACKS)
    const { outcomes } = await attackAs('control', names)
    const failed = Object.entries(outcomes).filter(([, what]) => !gotThrough(what))
    expect(Object.fromEntries(failed)).toEqual({})
    expect(Object.keys(outcomes).toSorted()).toEqual(names.toSorted())
  })
})
