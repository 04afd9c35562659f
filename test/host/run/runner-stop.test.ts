import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { nasty, unmarked } from './nasty-commands.ts'
import type { Stopped } from './nasty-commands.ts'
import { someOf } from '../../harness/long-run.ts'

const [NODE, PROGRAM] = ordinaryProgram(new URL('nasty-process.ts', import.meta.url))

interface Report {
  readonly uid: number
  readonly stopped: readonly Stopped[]
  readonly bomb: { readonly made: number; readonly holder: string } | null
}

async function stopAs(user: string, how: string): Promise<Report> {
  const { stdout } = await promisify(execFile)(NODE, [PROGRAM, user, how], { timeout: PATIENCE_MS })
  return JSON.parse(stdout) as Report
}

describe('a command that does not want to end', () => {
  it.concurrent.for(
    someOf(
      [
        ['root', 'sandboxed'],
        ['ordinary', 'sandboxed'],
        ['root', 'open'],
        ['ordinary', 'open'],
      ] as const,
      2,
    ),
  )(
    'FR-EXE-05: is gone with all its children when its time is up or it is cancelled, started as %s, %s',
    async ([user, how]) => {
      const { uid, stopped, bomb } = await stopAs(user, how)
      expect(uid === 0).toBe(user === 'root' && process.getuid?.() === 0)
      const kinds = Object.keys(nasty).length + (how === 'sandboxed' ? Object.keys(unmarked).length : 0)
      expect(stopped).toHaveLength(2 * kinds)
      expect(stopped.filter(({ survivors, isStopped }) => survivors > 0 || !isStopped)).toEqual([])
      // A second on an idle machine; this one may be busy with everything else that is being tested.
      expect(Math.max(...stopped.map(({ lateMs }) => lateMs))).toBeLessThan(10_000)
      // With the process that forks, there are as many as were allowed.
      if (bomb !== null)
        expect(bomb).toEqual(uid === 0 ? { holder: 'none', made: 60 } : { holder: 'rlimit', made: 29 })
    },
  )
})
