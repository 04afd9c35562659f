import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'
import type { Stopped } from './nasty-commands.ts'

const [NODE, PROGRAM] = ordinaryProgram(new URL('nasty-process.ts', import.meta.url))
const ROUNDS = 10

describe('after two hundred stops of commands that fork, leave their session and ignore signals', () => {
  it.for([
    ['root', 'sandboxed'],
    ['ordinary', 'sandboxed'],
    ['root', 'open'],
  ] as const)(
    'FR-EXE-05: no process is left, started as %s, %s',
    { timeout: 600_000 },
    async ([user, how]) => {
      const { stdout } = await promisify(execFile)(NODE, [PROGRAM, user, how, String(ROUNDS)], {
        timeout: 600_000,
        maxBuffer: 2 ** 24,
      })
      const { stopped } = JSON.parse(stdout) as { readonly stopped: readonly Stopped[] }
      expect(stopped.length).toBeGreaterThanOrEqual(200)
      expect(stopped.filter(({ survivors, isStopped }) => survivors > 0 || !isStopped)).toEqual([])
    },
  )
})
