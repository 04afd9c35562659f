import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import { git, makeRepository } from '../../host/confine/git-attacks.ts'

/** A root whose git folder, or a part of it, lies outside. */
interface Elsewhere {
  readonly root: string
  readonly shared: string
}

type Setup = (top: string) => Elsewhere

const linked: Setup = (top) => {
  const main = makeRepository(join(top, 'work'))
  git(main, 'worktree', 'add', '-q', join(top, 'linked'))
  return { root: join(top, 'linked'), shared: join(main, '.git') }
}

const linkedToBare: Setup = (top) => {
  const main = makeRepository(join(top, 'work'))
  git(top, 'clone', '-q', '--bare', main, join(top, 'hub'))
  git(join(top, 'hub'), 'worktree', 'add', '-q', join(top, 'linked'))
  // Only folders that are there can be written.
  mkdirSync(join(top, 'hub/logs'), { recursive: true })
  return { root: join(top, 'linked'), shared: join(top, 'hub') }
}

const submodule: Setup = (top) => {
  const inner = makeRepository(join(top, 'inner'))
  const main = makeRepository(join(top, 'work'))
  git(main, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'lib')
  return { root: join(main, 'lib'), shared: join(main, '.git/modules/lib') }
}

function open(setup: Setup) {
  const made = bench()
  const { root, shared } = setup(made.top)
  const asked: ApprovalRequest[] = []
  const run = (line: string, more: Readonly<Record<string, readonly string[]>> = {}) =>
    made.call(
      'run_shell',
      { cmd: ['sh', '-c', line], ...more },
      {
        root,
        approve: (requests) => {
          asked.push(...requests)
          return requests.map(() => 'once' as const)
        },
      },
    )
  return { root, shared, asked, run }
}

const COMMIT = 'git -c user.name=a -c user.email=a@b commit -q --allow-empty -m second'

describe("git's folder outside of the root", () => {
  it.for([
    ['a linked work tree', linked],
    ['a work tree of a bare repository', linkedToBare],
    ['a submodule', submodule],
  ] as const)('is not changed by a command that nobody was asked about: %s', async ([, setup]) => {
    const { shared, asked, run } = open(setup)
    const before = readdirSync(join(shared, 'objects'), { recursive: true }).toSorted()
    const attack = `rm -rf ${shared}/objects/*; echo x >${shared}/refs/heads/evil; mkdir ${shared}/rebase-merge`
    const { stdout } = outputOf(await run(`git log --format=%s; ${attack}; true`)) as { stdout: string }
    expect(stdout).not.toBe('')
    expect(asked).toEqual([])
    expect(readdirSync(join(shared, 'objects'), { recursive: true }).toSorted()).toEqual(before)
    expect(existsSync(join(shared, 'refs/heads/evil'))).toBe(false)
    expect(existsSync(join(shared, 'rebase-merge'))).toBe(false)
  })

  it.for([
    ['a linked work tree', linked],
    ['a work tree of a bare repository', linkedToBare],
    ['a submodule', submodule],
  ] as const)('is written by a commit that asks for it, and is asked about first: %s', async ([, setup]) => {
    const { root, shared, asked, run } = open(setup)
    const refused = outputOf(await run(COMMIT))
    expect(refused).toMatchObject({ exit_code: 128, grant: { write: [shared] } })
    expect(asked).toEqual([])
    expect(outputOf(await run(COMMIT, { write: [shared] }))).toMatchObject({ exit_code: 0 })
    expect(asked.map(({ risk, summary, kind }) => [risk, kind ?? 'call', summary.includes(shared)])).toEqual([
      ['High', 'call', true],
    ])
    expect(git(root, 'log', '-1', '--format=%s').trim()).toBe('second')
  })

  it('keeps what decides over git from a command that may write there', async () => {
    const { shared, run } = open(linked)
    await run(`echo x >>${shared}/config; echo x >${shared}/hooks/pre-commit; echo x >${shared}/HEAD`, {
      write: [shared],
    })
    expect(existsSync(join(shared, 'hooks/pre-commit'))).toBe(false)
    for (const path of [join(shared, 'objects'), join(shared, 'hooks'), join(shared, 'refs')])
      expect(errorOf(await run('true', { write: [path] })).code).toMatch(/not_allowed|denied_pattern/)
  })

  it('is granted only to the repository of the root', async () => {
    const { root, run } = open(linked)
    const other = makeRepository(join(root, '../other'))
    mkdirSync(join(root, 'inner'))
    writeFileSync(join(root, 'inner/.git'), `gitdir: ${other}/.git`)
    expect(errorOf(await run('true', { write: [join(other, '.git')] })).code).toBe('not_allowed')
  })
})
