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

it('a command that waits for room in one of two roots can be given up: its files in the other one are not missing', async () => {
  const scratch = makeScratch()
  const { stdout } = await promisify(execFile)(
    'unshare',
    [isRoot ? '-m' : '-Urm', process.execPath, join(import.meta.dirname, 'full-root-process.ts')],
    { env: { ...process.env, TMPDIR: scratch.path }, timeout: PATIENCE_MS },
  )
  const before = { root: ['a'], small: ['b'] }
  expect(JSON.parse(stdout)).toEqual({
    call: { said: expect.stringMatching(/committed but not fully in place.*big/), status: 1 },
    waiting: before,
    undone: { said: expect.stringContaining('removed: '), status: 0 },
    back: before,
    still: before,
    redone: { said: expect.stringContaining('removed: a'), status: 0 },
    again: { root: [], small: ['b', 'big'] },
  })
})
