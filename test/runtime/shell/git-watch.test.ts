import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import type { RuntimeOptions } from '../../../src/runtime/create-runtime.ts'
import { bench, errorOf, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { putPackBomb } from '../../harness/pack-bomb.ts'
import { shellWord } from '../../harness/shell-word.ts'

const WARNING = 'uncommitted changes that were not made here'

function git(b: Bench, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=ada', '-c', 'user.email=ada@example.com', '-c', 'commit.gpgsign=false']
  return execFileSync('git', [...identity, ...args], {
    cwd: b.root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: b.top },
  })
}

/** A repository with all files committed. */
function repository(files: Readonly<Record<string, string>>): Bench {
  const b = bench(files)
  git(b, 'init', '-q')
  git(b, 'add', '-A')
  git(b, 'commit', '-q', '-m', 'first')
  return b
}

const AUTO = { config: { 'tools.approval.mode': 'auto' } } as const

/** Reads a file and replaces it; gives the warnings of the edit. */
async function edit(b: Bench, path: string, content: string, options: Partial<RuntimeOptions> = AUTO) {
  const runtime = await b.open({ durability: 'normal', ...options })
  try {
    const [, result] = await runtime.run([
      { id: '1', name: 'read_file', args: { path } },
      { id: '2', name: 'write_file', args: { path, content } },
    ])
    outputOf(result)
    return result?.warnings ?? []
  } finally {
    await runtime.close()
  }
}

describe('git awareness', () => {
  it('F-SAFE-GIT: an edit of a file that somebody has changed and not committed comes with a warning', async () => {
    const b = repository({ 'a.txt': 'one\n', 'clean.txt': 'one\n', 'staged.txt': 'one\n' })
    b.put('a.txt', 'mine, not committed\n')
    b.put('staged.txt', 'staged\n')
    git(b, 'add', 'staged.txt')
    expect(await edit(b, 'clean.txt', 'two\n')).toEqual([])
    expect(await edit(b, 'a.txt', 'two\n')).toEqual([expect.stringContaining(`a.txt has ${WARNING}`)])
    expect(await edit(b, 'staged.txt', 'two\n')).toEqual([expect.stringContaining(WARNING)])
  })

  it('F-SAFE-GIT: what was changed here is not warned about, also by another process; what came after it is', async () => {
    const b = repository({ 'a.txt': 'one\n' })
    expect(await edit(b, 'a.txt', 'two\n')).toEqual([])
    expect(await edit(b, 'a.txt', 'three\n')).toEqual([])
    b.put('a.txt', 'three and mine\n')
    expect(await edit(b, 'a.txt', 'four\n')).toHaveLength(1)
    git(b, 'commit', '-q', '-am', 'all')
    expect(await edit(b, 'a.txt', 'five\n')).toEqual([])
  })

  it('F-SAFE-GIT: whoever is asked reads the warning with the question, also when it waits', async () => {
    const b = repository({ 'a.txt': 'one\n', 'b.txt': 'one\n' })
    b.put('a.txt', 'mine\n')
    const asked: ApprovalRequest[] = []
    const calls = ['a.txt', 'b.txt'].flatMap((path, index) => [
      { id: `r${index}`, name: 'read_file', args: { path } },
      { id: `w${index}`, name: 'write_file', args: { path, content: 'new\n' } },
    ])
    const runtime = await b.open({
      approve: (requests) => {
        asked.push(...requests)
        return requests.map(() => 'deny' as const)
      },
    })
    await runtime.run(calls)
    expect(asked.map(({ note }) => note)).toEqual([expect.stringContaining(WARNING), undefined])
    const later = await b.open({ approve: 'later', durability: 'normal' })
    await later.run(calls)
    expect((await later.pending()).map(({ note }) => note)).toEqual([
      expect.stringContaining(WARNING),
      undefined,
    ])
  })

  it('F-SAFE-GIT: a batch that edits a file twice is not warned about its own first edit', async () => {
    const b = repository({ 'a.txt': 'one\n' })
    const asked: ApprovalRequest[] = []
    const runtime = await b.open({
      approve: (requests) => {
        asked.push(...requests)
        return requests.map(() => 'once' as const)
      },
    })
    const results = await runtime.run([
      { id: '1', name: 'read_file', args: { path: 'a.txt' } },
      { id: '2', name: 'edit_file', args: { path: 'a.txt', old: 'one', new: 'two' } },
      { id: '3', name: 'edit_file', args: { path: 'a.txt', old: 'two', new: 'three' } },
    ])
    expect(asked.map(({ note }) => note)).toEqual([undefined, undefined])
    expect(results.flatMap(({ warnings = [] }) => warnings)).toEqual([])
  })

  it('there is nothing to say without a repository, in one without commits, of untracked files, or when switched off', async () => {
    expect(await edit(bench({ 'a.txt': 'one\n' }), 'a.txt', 'two\n')).toEqual([])
    const empty = bench({ 'a.txt': 'one\n' })
    git(empty, 'init', '-q')
    expect(await edit(empty, 'a.txt', 'two\n')).toEqual([])
    const b = repository({ 'a.txt': 'one\n' })
    b.put('new.txt', 'untracked\n')
    expect(await edit(b, 'new.txt', 'two\n')).toEqual([])
    b.put('a.txt', 'mine\n')
    const off = { config: { ...AUTO.config, 'tools.git.warn': false } }
    expect(await edit(b, 'a.txt', 'two\n', off)).toEqual([])
    writeFileSync(join(empty.root, '.git', 'HEAD'), 'garbage')
    expect(await edit(empty, 'a.txt', 'three\n')).toEqual([])
  })

  it('an edit goes on if git needs more memory than it gets, and says what is unknown', async () => {
    const b = bench({ 'a.txt': 'one\n' })
    git(b, 'init', '-q')
    putPackBomb(join(b.root, '.git'), 3)
    expect(await edit(b, 'a.txt', 'two\n')).toEqual([
      'whether a.txt had uncommitted changes is unknown: git needed more than 1 GiB of memory',
    ])
  })

  it('a checkout with other line endings, and names that git would take for patterns, are read right', async () => {
    const b = repository({
      'crlf.txt': 'one\ntwo\n',
      '[n]*.txt': 'odd\n',
      'n.txt': 'n\n',
      '-n.txt': 'dash\n',
    })
    b.put('crlf.txt', 'one\r\ntwo\r\n')
    b.put('n.txt', 'mine\n')
    expect(await edit(b, 'crlf.txt', 'x\r\n')).toEqual([])
    expect(await edit(b, '[n]*.txt', 'x\n')).toEqual([])
    b.put('-n.txt', 'mine\n')
    expect(await edit(b, '-n.txt', 'x\n')).toHaveLength(1)
  })

  it('F-SAFE-GIT: nothing that a hostile repository has configured is run, and its files are not touched', async () => {
    const b = repository({ 'a.txt': 'one\n', '.gitattributes': '* filter=evil diff=evil\n' })
    const made = join(b.top, 'made')
    const evil = join(b.top, 'evil.sh')
    writeFileSync(evil, `#!/bin/sh\ntouch ${shellWord(made)}\ncat\n`)
    chmodSync(evil, 0o755)
    for (const key of [
      'core.fsmonitor',
      'core.pager',
      'filter.evil.clean',
      'filter.evil.process',
      'diff.external',
      'diff.evil.textconv',
      'core.sshCommand',
      'core.editor',
      'alias.ls-tree',
      'core.alternateRefsCommand',
      'credential.helper',
    ])
      git(b, 'config', key, shellWord(evil))
    git(b, 'config', 'core.hooksPath', b.top)
    symlinkSync(evil, join(b.top, 'post-index-change'))
    b.put('a.txt', 'mine\n')
    utimesSync(join(b.root, 'a.txt'), 1, 1)
    const index = readFileSync(join(b.root, '.git', 'index'))
    expect(await edit(b, 'a.txt', 'two\n')).toHaveLength(1)
    const staging = { config: { ...AUTO.config, 'tools.git.stage': true } }
    expect(await edit(b, 'a.txt', 'three\n', staging)).toEqual([
      expect.stringContaining('a.txt was not staged'),
    ])
    expect(existsSync(made)).toBe(false)
    expect(readFileSync(join(b.root, '.git', 'index'))).toEqual(index)
    // A git that is called without care falls for it.
    git(b, 'status')
    expect(existsSync(made)).toBe(true)
  })

  it('F-SAFE-GIT: files are staged after a success if the configuration says so, and only then', async () => {
    const b = repository({ 'a.txt': 'one\n', 'gone.txt': 'x\n' })
    await edit(b, 'a.txt', 'two\n')
    expect(git(b, 'diff', '--cached', '--name-only')).toBe('')
    const staging = {
      config: { ...AUTO.config, 'tools.git.stage': true },
      approve: (r: readonly unknown[]) => r.map(() => 'once' as const),
    }
    expect(await edit(b, 'a.txt', 'three\n', staging)).toEqual([])
    const runtime = await b.open(staging)
    await runtime.run([{ id: '1', name: 'delete_path', args: { path: 'gone.txt' } }])
    expect(git(b, 'diff', '--cached', '--name-status')).toBe('M\ta.txt\nD\tgone.txt\n')
    const [failed] = await runtime.run([
      { id: '1', name: 'write_file', args: { path: 'a.txt', content: 'x' } },
    ])
    expect(errorOf(failed).code).toBe('stale_file')
    expect(git(b, 'show', ':a.txt')).toBe('three\n')
  })

  it('F-SAFE-RO: a read-only file is refused by every tool that edits, and stays as it is', async () => {
    const b = bench({ 'a.txt': 'one\n' })
    chmodSync(join(b.root, 'a.txt'), 0o444)
    const approve: Partial<RuntimeOptions> = { approve: (requests) => requests.map(() => 'once' as const) }
    const runtime = await b.open(approve)
    await runtime.run([{ id: 'r', name: 'read_file', args: { path: 'a.txt' } }])
    const calls: readonly (readonly [string, object])[] = [
      ['write_file', { path: 'a.txt', content: 'two\n' }],
      ['write_file', { path: 'a.txt', content: 'two\n', append: true }],
      ['edit_file', { path: 'a.txt', old: 'one', new: 'two' }],
      ['edit_region', { path: 'a.txt', start_line: 1, end_line: 1, new_content: 'two' }],
      ['multi_edit', { edits: [{ path: 'a.txt', start_line: 1, end_line: 1, new_content: 'two' }] }],
      ['apply_patch', { patch: 'LP1\nF a.txt\nT\ntwo\n.\nEND\n' }],
      ['delete_path', { path: 'a.txt' }],
      ['move_path', { from: 'a.txt', to: 'b.txt' }],
    ]
    for (const [name, args] of calls) {
      const [result] = await runtime.run([{ id: '1', name, args }])
      expect(errorOf(result), name).toMatchObject({ code: 'execution_failed', type: 'file-error' })
      expect(errorOf(result).message, name).toContain('a.txt is read-only')
    }
    expect(readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('one\n')
    expect(statSync(join(b.root, 'a.txt')).mode & 0o777).toBe(0o444)
  })
})
