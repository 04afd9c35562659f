import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { rgPath } from '@vscode/ripgrep'
import { describe, expect, it } from 'vitest'
import { ordinaryProgram } from '../../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../../harness/patience.ts'
import { roundsOf, someOf } from '../../../harness/long-run.ts'

const PROGRAM = ordinaryProgram(new URL('harm-process.ts', import.meta.url))
const COUNT = process.env['TONGS_LONG'] === '1' ? 300 : roundsOf(3, 12)
const CONTROL_COUNT = 60

interface Report {
  readonly uid: number
  readonly rows: number
  readonly ran: number
  readonly absent: readonly string[]
  readonly harm: Readonly<Record<string, readonly string[]>>
}

async function tryAll(how: 'root' | 'ordinary' | 'control', seed: number): Promise<Report> {
  const [node, module] = PROGRAM
  const env = { ...process.env, SEARCH_PROGRAM: rgPath }
  const args = [module, how, String(seed), String(how === 'control' ? CONTROL_COUNT : COUNT)]
  const { stdout } = await promisify(execFile)(node, args, { env, timeout: PATIENCE_MS, maxBuffer: 1e8 })
  return JSON.parse(stdout) as Report
}

describe('what a prefix may cover', () => {
  it.for(someOf(['root', 'ordinary'] as const, 1))(
    'writes nothing and starts no other program, whatever the row understands, run as %s',
    async (user) => {
      const seed = Date.now() % 1e9
      const { uid, rows, ran, absent, harm } = await tryAll(user, seed)
      expect(uid === 0).toBe(user === 'root' && process.getuid?.() === 0)
      expect({ seed, harm }).toEqual({ seed, harm: {} })
      // `tree` is rarely installed; everything else has to have been tried.
      expect(absent.filter((name) => name !== 'tree')).toEqual([])
      expect(ran).toBe((rows - absent.length) * COUNT)
    },
  )

  it('would be found out: rows with an unsafe option do write and start programs', async () => {
    const { harm } = await tryAll('control', 4)
    expect(Object.keys(harm).toSorted()).toEqual([
      'find',
      'git branch',
      'git grep',
      'git log',
      'sort',
      'uniq',
    ])
  })
})
