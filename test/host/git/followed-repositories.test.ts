import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { findGitPlace, findGitPlaces } from '../../../src/host/git/git-places.ts'
import { systemName } from '../../../src/host/root/exact-name.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { git, makeRepository } from '../confine/git-attacks.ts'

beforeEach(() => vi.stubEnv('GIT_CONFIG_NOSYSTEM', '1'))
afterEach(() => vi.unstubAllEnvs())

/** As an exact name: a byte that is no UTF-8. */
const RAW = 'raw\udcff'
const RAW_BYTES = Buffer.from('raw\xff', 'latin1')
const HASH = '1234567890123456789012345678901234567890'
const NAMED = /^core\.fsmonitor in .* names it, so git may run it$/s
const NOT_SPELLED = /^refused: git follows the repository in .*raw.*, and this name is not valid UTF-8$/

/** A repository with a program among its files, and what is known of that program. */
function makeWork() {
  const scratch = makeScratch()
  const folder = makeRepository(scratch.at('work'))
  const tool = join(folder, 'tool.sh')
  writeFileSync(tool, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
  const home = scratch.folder('home')
  const judge = (): string => {
    const found = findGitPlaces([folder], folder, home)
    return found.ok ? (findGitPlace(found, tool)?.why ?? 'free') : `refused: ${found.why}`
  }
  return { scratch, folder, git: join(folder, '.git'), named: `[core]\n\tfsmonitor = ${tool}\n`, judge }
}
type Work = ReturnType<typeof makeWork>

function makeInner({ folder, named }: Work, name = 'sub'): string {
  const inner = join(folder, name)
  mkdirSync(inner, { recursive: true })
  git(inner, 'init', '-q')
  appendFileSync(join(inner, '.git/config'), named)
  return inner
}

/** Lets the index name repositories at some paths. */
function addLinks(folder: string, paths: readonly Buffer[]): void {
  const lines = paths.map((path) => Buffer.concat([Buffer.from(`160000 ${HASH} 0\t`), path, Buffer.of(0)]))
  const args = ['-C', folder, 'update-index', '-z', '--index-info']
  execFileSync('git', args, { input: Buffer.concat(lines) })
}

/** A linked work tree outside of the workspace, with settings of its own. */
function addTree({ scratch, folder, named }: Work, settings = named, name = 'tree'): string {
  const tree = scratch.at(name)
  git(folder, 'config', 'extensions.worktreeConfig', 'true')
  git(folder, 'worktree', 'add', '-q', '--detach', tree)
  writeFileSync(join(folder, '.git/worktrees', name, 'config.worktree'), settings)
  return tree
}

describe('a program that git runs for another repository that it follows', () => {
  it.each<readonly [string, (work: Work) => void, RegExp]>([
    [
      'a submodule',
      (work) => {
        makeInner(work)
        addLinks(work.folder, [Buffer.from('sub')])
      },
      NAMED,
    ],
    [
      'the last of many submodules',
      (work) => {
        const names = Array.from({ length: 257 }, (_, at) => `s${at}`)
        for (const name of names)
          for (const part of ['objects', 'refs'])
            mkdirSync(join(work.folder, name, '.git', part), { recursive: true })
        writeFileSync(join(work.folder, 's256/.git/config'), work.named)
        addLinks(
          work.folder,
          names.map((name) => Buffer.from(name)),
        )
      },
      /^refused: git follows more than 256 repositories and work trees from /,
    ],
    [
      'a submodule in an index with a large part that only git skips',
      (work) => {
        makeInner(work)
        addLinks(work.folder, [Buffer.from('sub')])
        const bytes = readFileSync(join(work.git, 'index')).subarray(0, -20)
        const part = Buffer.alloc(129 * 1024 ** 2)
        part.write('TEST')
        part.writeUInt32BE(part.length - 8, 4)
        const whole = Buffer.concat([bytes, part])
        const hash = createHash('sha1').update(whole).digest()
        writeFileSync(join(work.git, 'index'), Buffer.concat([whole, hash]))
      },
      /^refused: git's index in .* cannot be used: it has more than 134217728 bytes$/,
    ],
    [
      'a submodule whose name is no text',
      (work) => {
        renameSync(makeInner(work), systemName(join(work.folder, RAW)))
        addLinks(work.folder, [RAW_BYTES])
      },
      NOT_SPELLED,
    ],
    [
      'a submodule in a folder that a sparse index leaves to a tree',
      (work) => {
        mkdirSync(join(work.folder, 'd/e'), { recursive: true })
        writeFileSync(join(work.folder, 'd/e/x'), '')
        git(work.folder, 'add', 'd')
        git(work.folder, 'commit', '-qm', 'more')
        git(work.folder, 'sparse-checkout', 'set', '--cone', '--sparse-index', 'other')
        expect(git(work.folder, 'ls-files', '--sparse')).toContain('d/\n')
        makeInner(work, 'd/e/f')
      },
      NAMED,
    ],
    [
      'its own, in a folder whose name is no text',
      (work) => {
        appendFileSync(join(work.git, 'config'), work.named)
        renameSync(work.git, systemName(work.scratch.at(RAW)))
        writeFileSync(work.git, Buffer.concat([Buffer.from('gitdir: ../'), RAW_BYTES, Buffer.from('\n')]))
      },
      NOT_SPELLED,
    ],
    [
      'its own, whose shared part is in a folder whose name is no text',
      (work) => {
        const shared = systemName(join(work.folder, RAW))
        git(work.folder, 'init', '-q', '--bare', 'shared')
        appendFileSync(join(work.folder, 'shared/config'), work.named)
        renameSync(join(work.folder, 'shared'), shared)
        writeFileSync(join(work.git, 'commondir'), Buffer.concat([Buffer.from('../'), RAW_BYTES]))
      },
      NOT_SPELLED,
    ],
    [
      'its own, in a folder that is named up to a zero byte',
      (work) => {
        appendFileSync(join(work.git, 'config'), work.named)
        renameSync(work.git, work.scratch.at('real'))
        writeFileSync(work.git, 'gitdir: ../real\0junk\n')
      },
      NAMED,
    ],
    [
      'its own, whose shared part is named up to a zero byte',
      (work) => {
        git(work.folder, 'init', '-q', '--bare', 'shared')
        appendFileSync(join(work.folder, 'shared/config'), work.named)
        writeFileSync(join(work.git, 'commondir'), '../shared\n\0junk\n')
        renameSync(join(work.folder, 'shared'), join(work.folder, 'shared\n'))
      },
      NAMED,
    ],
    [
      'its own, whose shared part is named before a million line ends',
      (work) => {
        git(work.folder, 'init', '-q', '--bare', 'shared')
        appendFileSync(join(work.folder, 'shared/config'), work.named)
        writeFileSync(join(work.git, 'commondir'), `../shared${'\n'.repeat(1_100_000)}`)
      },
      /^refused: .*\/\.git\/commondir, which git follows, has more than 1 MiB$/,
    ],
    ['another work tree', (work) => void addTree(work), NAMED],
    ['a work tree that was moved', (work) => renameSync(addTree(work), work.scratch.at('elsewhere')), NAMED],
    [
      'a work tree whose place is not noted',
      (work) => {
        addTree(work)
        rmSync(join(work.git, 'worktrees/tree/gitdir'))
      },
      NAMED,
    ],
    [
      'a work tree whose path is no text',
      (work) => {
        renameSync(addTree(work), systemName(work.scratch.at(RAW)))
        const noted = Buffer.concat([Buffer.from(work.scratch.at('')), RAW_BYTES, Buffer.from('/.git\n')])
        writeFileSync(join(work.git, 'worktrees/tree/gitdir'), noted)
      },
      NAMED,
    ],
    [
      'a work tree whose own part has a name that is no text',
      (work) => {
        addTree(work)
        renameSync(join(work.git, 'worktrees/tree'), systemName(join(work.git, 'worktrees', RAW)))
      },
      NOT_SPELLED,
    ],
    [
      'a work tree that shares another repository',
      (work) => {
        addTree(work, '')
        rmSync(join(work.git, 'worktrees/tree/config.worktree'))
        git(work.folder, 'init', '-q', '--bare', '../shared')
        appendFileSync(work.scratch.at('shared/config'), work.named)
        writeFileSync(join(work.git, 'worktrees/tree/commondir'), '../../../../shared')
      },
      NAMED,
    ],
    [
      'the last of many work trees',
      (work) => {
        for (let at = 0; at < 256; at++) {
          const own = join(work.git, 'worktrees', `t${at}`)
          mkdirSync(own, { recursive: true })
          writeFileSync(join(own, 'commondir'), '../..')
          writeFileSync(join(own, 'config.worktree'), at === 255 ? work.named : '')
        }
      },
      /^refused: git follows more than 256 repositories and work trees from /,
    ],
    [
      'a work tree that was moved and names it from there',
      (work) => renameSync(addTree(work, '[core]\n\tfsmonitor = ../work/tool.sh\n'), work.scratch.at('b')),
      /^refused: core\.fsmonitor in .*config\.worktree names a path in a work tree that was moved or removed/,
    ],
  ])('is kept from change, or every change is refused: %s', (_, prepare, expected) => {
    const work = makeWork()
    prepare(work)
    expect(work.judge()).toMatch(expected)
  })

  it.each<readonly [string, (work: Work) => void]>([
    ['a repository that no index names', (work) => void makeInner(work)],
    ['a missing one whose name is no text', ({ folder }) => addLinks(folder, [RAW_BYTES])],
    [
      'a work tree that was removed, with settings that name nothing',
      (work) => rmSync(addTree(work, '[core]\n\tsparseCheckout = true\n'), { recursive: true }),
    ],
    [
      'a work tree that was removed, and hooks that all of them share',
      (work) => {
        rmSync(addTree(work, '[core]\n\tsparseCheckout = true\n'), { recursive: true })
        git(work.folder, 'config', 'core.hooksPath', '.githooks')
      },
    ],
  ])('control: is free for %s', (_, prepare) => {
    const work = makeWork()
    prepare(work)
    expect(work.judge()).toBe('free')
  })
})
