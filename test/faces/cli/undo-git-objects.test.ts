import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { RevertReport } from '../../../src/pipeline/after/revert.ts'
import { compareFiles, describeFiles } from '../../harness/layers/describe-files.ts'
import { useShops } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { shellCall } from './land-command.ts'

const shop = useShops()

const IDENTITY = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
}
const AS_SOMEONE = Object.entries(IDENTITY)
  .map(([name, value]) => `export ${name}=${value};`)
  .join(' ')

function git(folder: string, ...words: readonly string[]): string {
  const options = {
    cwd: folder,
    encoding: 'utf8',
    stdio: 'pipe',
    env: { ...process.env, ...IDENTITY },
  } as const
  return execFileSync('git', words, options)
}

function repository(): Shop {
  const s = shop({ 'a.txt': 'one\n' })
  git(s.root, 'init', '-q', '-b', 'main')
  git(s.root, 'add', '-A')
  git(s.root, 'commit', '-qm', 'one')
  return s
}

async function revert(s: Shop, word: 'undo' | 'redo', ...words: readonly string[]): Promise<RevertReport> {
  return JSON.parse((await s.tongs([word, ...words, '--json', '--yes'])).out) as RevertReport
}

/** Lets a command do something, and notes how everything was before. */
async function run(s: Shop, line: string) {
  const before = describeFiles(s.root)
  const { rows } = await s.batch([shellCall(`${AS_SOMEONE} ${line}`)], '--yes')
  expect(rows[0]).toMatchObject({ ok: true, result: { exit_code: 0 } })
  return before
}

/** An undo that leaves nothing where it is. */
async function whole(s: Shop): Promise<RevertReport> {
  const undone = await revert(s, 'undo')
  expect(undone).not.toHaveProperty('message')
  return undone
}

const COMMIT = 'echo two > a.txt; git commit -qam two'
const SPARED = /objects? of git stays?: its repository changed since/

it('a commit of a person on top of one that a command made keeps its content when that one is undone', async () => {
  const s = repository()
  await run(s, COMMIT)
  const own = `${s.root}-own`
  git(s.root, 'worktree', 'add', '-q', '-b', 'mine', own)
  execFileSync('sh', ['-c', 'echo mine > mine.txt'], { cwd: own })
  git(own, 'add', '-A')
  git(own, 'commit', '-qm', 'mine')
  const undone = await revert(s, 'undo')
  expect(undone).toMatchObject({ ok: true, message: expect.stringMatching(SPARED) })
  expect(undone.files.map(({ path }) => path)).toContain('.git/refs/heads/main')
  expect([...undone.files, ...(undone.folders ?? [])].filter(({ path }) => path.includes('objects'))).toEqual(
    [],
  )
  expect(s.get('a.txt')).toBe('one\n')
  git(own, 'fsck', '--strict')
  expect(git(own, 'show', 'HEAD~1:a.txt')).toBe('two\n')
  expect(await revert(s, 'redo')).toMatchObject({ ok: true })
  expect(git(s.root, 'log', '--format=%s')).toBe('two\none\n')
  expect(git(s.root, 'status', '--porcelain')).toBe('')
})

it('what a person staged or committed keeps its content, although a command had stored the same before', async () => {
  const s = repository()
  await run(s, 'echo two | git hash-object -w --stdin')
  s.put('a.txt', 'two\n')
  git(s.root, 'commit', '-qam', 'two')
  expect(await revert(s, 'undo')).toMatchObject({
    ok: true,
    files: [],
    message: expect.stringMatching(SPARED),
  })
  git(s.root, 'fsck', '--strict')
  // It counts as undone, so that what was done before it can be undone next.
  expect(await revert(s, 'undo')).toMatchObject({ ok: false, calls: [] })
})

it('an index that is left out of an undo keeps what it names', async () => {
  const s = repository()
  await run(s, 'echo two > a.txt; git add -A')
  s.put('mine.txt', 'mine\n')
  git(s.root, 'add', 'mine.txt')
  git(s.root, 'commit', '-qm', 'mine')
  expect(await revert(s, 'undo')).toMatchObject({ ok: false, drifted: ['.git/index'] })
  expect(await revert(s, 'undo', '--except', '.git/index')).toMatchObject({ ok: true })
  git(s.root, 'fsck', '--strict')
  expect(git(s.root, 'show', 'HEAD:a.txt')).toBe('two\n')
})

it('redo of a clean-up keeps the objects that a person gave a name meanwhile', async () => {
  const s = repository()
  s.put('a.txt', 'two\n')
  git(s.root, 'commit', '-qam', 'two')
  git(s.root, 'reset', '-q', '--hard', 'HEAD~1')
  await run(s, 'git reflog expire --expire=now --all; git gc -q --prune=now')
  expect(await whole(s)).toMatchObject({ ok: true })
  git(s.root, 'branch', 'keep', 'HEAD@{1}')
  expect(await revert(s, 'redo')).toMatchObject({ ok: true, message: expect.stringMatching(SPARED) })
  git(s.root, 'fsck', '--strict')
  expect(git(s.root, 'show', 'keep:a.txt')).toBe('two\n')
  expect(await revert(s, 'undo')).toMatchObject({ ok: true })
  git(s.root, 'fsck', '--strict')
})

it('redo brings no commit back whose content git has removed since', async () => {
  const s = repository()
  await run(s, COMMIT)
  git(s.root, 'tag', 'mine')
  expect(await revert(s, 'undo')).toMatchObject({ ok: true, message: expect.stringMatching(SPARED) })
  git(s.root, 'tag', '-d', 'mine')
  const blob = git(s.root, 'rev-parse', ':a.txt').trim()
  git(s.root, 'prune', '--expire=now')
  git(s.root, 'cat-file', '-e', blob)
  const redone = await revert(s, 'redo')
  expect(redone).toMatchObject({ ok: false, files: [] })
  expect(redone.drifted.every((path) => path.startsWith('.git/objects/'))).toBe(true)
  expect(redone.drifted.length).toBeGreaterThan(0)
  git(s.root, 'fsck', '--strict')
})

it('a clean-up that waits for its answer does not take what a person gave a name meanwhile', async () => {
  const s = repository()
  s.put('a.txt', 'two\n')
  git(s.root, 'commit', '-qam', 'two')
  const lost = git(s.root, 'rev-parse', 'HEAD').trim()
  git(s.root, 'reset', '-q', '--hard', 'HEAD~1')
  await s.batch([shellCall('git reflog expire --expire=now --all; git gc -q --prune=now')])
  git(s.root, 'branch', 'keep', lost)
  const { rows } = await s.tongs(['approve', 'all', '--json'])
  expect(rows[0]).toMatchObject({
    ok: false,
    error: { code: 'stale_file', details: { file: expect.stringMatching(/refs\/heads\/keep$/) } },
  })
  git(s.root, 'fsck', '--strict')
  expect(git(s.root, 'show', 'keep:a.txt')).toBe('two\n')
})

it.each([
  [
    'is cloned, which gives its objects other times',
    (s: Shop) => git(s.root, 'clone', '-q', '.', `${s.root}-clone`),
  ],
  [
    'is given other permissions',
    (s: Shop) => execFileSync('chmod', ['-R', 'go-w', join(s.root, '.git/objects')], { encoding: 'utf8' }),
  ],
])('a commit of a person keeps its content although the repository %s afterwards', async (_what, touch) => {
  const s = repository()
  await run(s, 'echo two | git hash-object -w --stdin')
  s.put('a.txt', 'two\n')
  git(s.root, 'commit', '-qam', 'two')
  touch(s)
  expect(await revert(s, 'undo')).toMatchObject({ ok: true, message: expect.stringMatching(SPARED) })
  git(s.root, 'fsck', '--strict')
})

it('a commit in a repository that borrows objects keeps its content', async () => {
  const s = repository()
  const other = `${s.root}-other`
  git(s.root, 'clone', '-q', '--shared', '.', other)
  await run(s, 'echo two | git hash-object -w --stdin')
  execFileSync('sh', ['-c', 'echo two > a.txt'], { cwd: other })
  git(other, 'commit', '-qam', 'two')
  expect(await revert(s, 'undo')).toMatchObject({ ok: true, message: expect.stringMatching(SPARED) })
  git(other, 'fsck', '--strict')
})

it.each([
  ['itself', (s: Shop) => git(s.root, 'clone', '-q', '--shared', '.', 'inner')],
  [
    'by way of another',
    (s: Shop) => {
      git(s.root, 'clone', '-q', '--shared', '--bare', '.', 'between')
      git(s.root, 'clone', '-q', '--shared', 'between', 'inner')
      git(join(s.root, 'inner'), 'remote', 'set-url', 'origin', s.root)
    },
  ],
] as const)(
  'a branch that only names a commit of a command keeps it, in a root, if it borrows objects %s',
  async (_, lend) => {
    const s = repository()
    lend(s)
    await run(s, COMMIT)
    const inner = join(s.root, 'inner')
    git(inner, 'pull', '-q', '--ff-only')
    expect(await revert(s, 'undo')).toMatchObject({ ok: true, message: expect.stringMatching(SPARED) })
    git(inner, 'fsck', '--strict')
    expect(git(inner, 'show', 'HEAD:a.txt')).toBe('two\n')
  },
)

it('a repository in a root that borrows objects and has not changed since keeps none of them', async () => {
  const s = repository()
  git(s.root, 'clone', '-q', '--shared', '.', 'inner')
  await run(s, COMMIT)
  await whole(s)
  git(join(s.root, 'inner'), 'fsck', '--strict')
})

it('a branch whose name looks like a folder of objects is looked at as well', async () => {
  const s = repository()
  await run(s, COMMIT)
  git(s.root, 'branch', 'objects/ab/x')
  // Nothing but the branch itself says so.
  execFileSync('rm', ['-r', join(s.root, '.git/logs/refs/heads/objects')])
  expect(await revert(s, 'undo')).toMatchObject({ ok: true, message: expect.stringMatching(SPARED) })
  expect(git(s.root, 'show', 'objects/ab/x:a.txt')).toBe('two\n')
})

it('without any change in the repository since, no object stays', async () => {
  const s = repository()
  const before = await run(s, COMMIT)
  git(s.root, 'log')
  expect(await whole(s)).toMatchObject({ ok: true })
  expect(compareFiles(before, describeFiles(s.root))).toEqual([])
})

it('a file that only looks like an object is removed like any other', async () => {
  const s = repository()
  const name = `objects/ab/${'0'.repeat(38)}`
  await run(s, `mkdir -p ${name.slice(0, 10)}; echo x > ${name}`)
  s.put('other.txt', 'other\n')
  git(s.root, 'tag', 'mine')
  expect(await whole(s)).toMatchObject({ ok: true })
  expect(existsSync(join(s.root, name))).toBe(false)
})
