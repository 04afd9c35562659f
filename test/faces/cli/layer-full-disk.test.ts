import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { someOf } from '../../harness/long-run.ts'

const isRoot = process.getuid?.() === 0
const NEW = ['new', 'new/deep', ...[1, 2, 3, 4, 5, 6].map((name) => `new/deep/${name}`)]

it.concurrent.for(someOf(['near', 'far'], 1))(
  'a disk that is really full lets nothing land by halves, says so, and it goes on once there is room (%s)',
  async (where) => {
    const scratch = makeScratch()
    const { stdout } = await promisify(execFile)(
      'unshare',
      [isRoot ? '-m' : '-Urm', process.execPath, join(import.meta.dirname, 'full-disk-process.ts'), where],
      { env: { ...process.env, TMPDIR: scratch.path }, timeout: PATIENCE_MS },
    )
    expect(JSON.parse(stdout)).toEqual({
      asked: 4,
      full: 1,
      message: expect.stringMatching(/is full|no space left/i),
      whileFull: [],
      again: 0,
      landed: ['a', 'link', ...NEW],
      undone: 0,
      isBack: [],
      redone: 0,
      isAgain: [],
    })
  },
)
