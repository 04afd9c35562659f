import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { someOf } from '../../harness/long-run.ts'
import { USERS } from './run-swaps.ts'

const PROGRAM = ordinaryProgram(new URL('command-process.ts', import.meta.url))

const USED = {
  stdout: 'second\n\ncode\nz\n',
  stderr: '',
  again: ['No local changes to save\n', ''],
  log: 'first',
}

describe('a command on a layer', () => {
  it.concurrent.for(someOf(USERS, 1))(
    'changes the layer and not the workspace, and sees nothing that is hidden (as %s)',
    async (who) => {
      const [node, module] = PROGRAM
      const { stdout } = await promisify(execFile)(node, [module, who], { timeout: PATIENCE_MS })
      const { uid, outcomes } = JSON.parse(stdout) as { uid: number; outcomes: Record<string, unknown> }
      expect(uid === 0).toBe(who !== 'ordinary' && process.getuid?.() === 0)
      expect(outcomes).toEqual({
        'keeps every change to the layer': {
          exit: 0,
          isUntouched: true,
          written: 'new\n',
          isMarked: true,
          next: 'new\nfolder/insidechanged\ncreated\nkept\nmoved\n',
        },
        'hides denied files, also under a new name of their folder': [false, false],
        'hides what a denied link led to, also after the link or its folder is gone': [
          false,
          true,
          false,
          true,
          false,
          true,
          false,
          true,
        ],
        'hides what it cannot list, and names that are not text': 'odd',
        'leaves a tracked denied file alone when git is used': USED,
        'does so on a copy too': USED,
        'writes through where that was asked for': { stdout: 'cache/old', isThrough: true, isKept: false },
        'keeps its variables from what starts it': { outside: [false, false], inside: [true, true] },
        'drops a layer whatever the command left there': [],
      })
    },
  )
})
