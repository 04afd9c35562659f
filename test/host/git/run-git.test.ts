import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runGit } from '../../../src/host/git/run-git.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { putPackBomb } from '../../harness/pack-bomb.ts'

it('a git that does not answer in time is given up, and the reason names the setting', async () => {
  const folder = makeScratch().path
  const init = await runGit({ folder, timeoutMs: PATIENCE_MS }, ['init', '--quiet'])
  expect(init).toMatchObject({ ok: true })
  // What it leaves behind must not hold its pipes open.
  const waiting = ['-c', 'alias.wait=!exec >/dev/null 2>&1; sleep 3', 'wait']
  expect(await runGit({ folder, timeoutMs: 100 }, waiting)).toEqual({
    ok: false,
    why: 'git took more than 0.1 s (tools.git.timeout_seconds)',
    isGivenUp: true,
  })
})

it.for(['HEAD', 'index', 'config'])('git is not started if it would wait for a pipe: %s', async (name) => {
  const scratch = makeScratch()
  const asked = { folder: scratch.path, timeoutMs: PATIENCE_MS }
  expect(await runGit(asked, ['init', '--quiet'])).toMatchObject({ ok: true })
  const pipe = scratch.at(`.git/${name}`)
  rmSync(pipe, { force: true })
  execFileSync('mkfifo', [pipe])
  expect(await runGit(asked, ['status'])).toEqual({ ok: false, why: `${pipe} is not a regular file` })
})

it('git is given up if a pack of some kilobytes says that a tree has gigabytes, and it is said why', async () => {
  const scratch = makeScratch()
  const asked = { folder: scratch.path, timeoutMs: PATIENCE_MS }
  expect(await runGit(asked, ['init', '--quiet'])).toMatchObject({ ok: true })
  putPackBomb(scratch.at('.git'), 3)
  expect(await runGit(asked, ['cat-file', '-t', 'HEAD'])).toEqual({ ok: true, stdout: 'commit\n' })
  expect(await runGit(asked, ['ls-tree', 'HEAD'])).toEqual({
    ok: false,
    why: 'git needed more than 1 GiB of memory',
    isGivenUp: true,
  })
})
