import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { digest } from '../../../src/host/system/hash.ts'
import { benchWith } from './bench-with.ts'

const isRoot = process.getuid?.() === 0

describe('what a command left on its layer', () => {
  it('is read as created, modified and deleted files, links and folders', async () => {
    const bench = benchWith(
      'echo one >a; echo two >b; echo three >c; mkdir d; echo x >d/e; chmod 644 c',
      'echo more >>a; rm b; chmod 755 c; echo new >n; ln -s a l; mkdir empty; rm -r d',
    )
    const { shown, changes, bytes } = await bench.read()
    expect(shown).toEqual([
      { path: 'a', change: 'modified' },
      { path: 'b', change: 'deleted' },
      { path: 'c', change: 'modified' },
      { path: 'd/e', change: 'deleted' },
      { path: 'l', change: 'created' },
      { path: 'n', change: 'created' },
    ])
    expect(changes.map(({ path }) => path)).toEqual(['a', 'b', 'c', 'd', 'd/e', 'empty', 'l', 'n'])
    expect(bytes).toBe('one\nmore\n'.length + 'three\n'.length + 'new\n'.length)
  })

  it('is not read, or cleaned of anything, where a link to another folder was put in its place', async () => {
    const bench = benchWith('echo one >a', 'echo two >a')
    const other = join(bench.top, 'other')
    mkdirSync(other)
    writeFileSync(join(other, '.env'), 'theirs')
    renameSync(bench.upper, join(bench.top, 'away'))
    symlinkSync(other, bench.upper)
    await expect(bench.read()).rejects.toThrow('was exchanged')
    expect(readdirSync(other)).toEqual(['.env'])
  })

  it('is recorded with digests and with where its bytes lie', async () => {
    const bench = benchWith('echo one >a; echo two >b', 'echo 1 >a; rm b; echo new >n; ln -s t l; mkdir f')
    const { changes } = await bench.read()
    const [a, b, f, l, n] = changes
    expect(a?.before).toMatchObject({ digest: digest('one\n'), held: 'x1/0/old/0' })
    expect(a?.after).toMatchObject({ digest: digest('1\n'), held: 'x1/0/upper/a' })
    expect(b).toMatchObject({ before: { digest: digest('two\n'), held: 'x1/0/old/1' }, after: null })
    expect(f).toMatchObject({ before: null, after: { kind: 'folder', digest: digest('') } })
    expect(f?.after).not.toHaveProperty('held')
    expect(l?.after).toMatchObject({ kind: 'link', digest: digest('t'), held: 'x1/0/upper/l' })
    expect(n).toMatchObject({ root: bench.root, before: null, folders: [] })
  })

  it('has no change for files that were only touched or written as they were', async () => {
    const bench = benchWith(
      'echo one >a; echo two >b; mkdir d; echo three >d/c',
      'touch a; echo two >b; rm d/c; echo three >d/c; mkdir d/e; rmdir d/e',
    )
    expect(await bench.read()).toMatchObject({ changes: [], shown: [], diff: '', bytes: 0, notes: [] })
  })

  it('names moved files once for both names, so that they are only moved', async () => {
    const bench = benchWith('mkdir old; echo 1 >old/a; echo 2 >old/b', "perl -e 'rename q(old), q(new)'")
    const { changes } = await bench.read()
    const heldOf = (path: string, side: 'before' | 'after') =>
      changes.find((change) => change.path === path)?.[side]?.held
    if (!isRoot) return expect(changes).toEqual([])
    expect(changes.map(({ path }) => path)).toEqual(['new', 'new/a', 'new/b', 'old', 'old/a', 'old/b'])
    for (const name of ['a', 'b']) {
      expect(heldOf(`old/${name}`, 'before')).toMatch(/^x1\/0\/old\/\d+$/)
      expect(heldOf(`new/${name}`, 'after')).toBe(heldOf(`old/${name}`, 'before'))
    }
    return undefined
  })

  it('gives a moved folder files of its own if those at the old place stay', async () => {
    const bench = benchWith(
      'mkdir -p old/sub; echo 1 >old/a; echo 2 >old/sub/b; chmod 640 old/a',
      'mv old new; cp -a new old',
    )
    const { shown, changes } = await bench.read()
    expect(shown.map(({ path }) => path)).toEqual(['new/a', 'new/sub/b'])
    for (const { after } of changes) {
      if (after?.held === undefined) continue
      expect(existsSync(join(bench.top, 'place', after.held))).toBe(true)
    }
    const moved = join(bench.upper, 'new/a')
    expect(lstatSync(moved).mode & 0o777).toBe(0o640)
  })

  it('lands names that are not UTF-8, and shows them in a readable form', async () => {
    const bench = benchWith('true', `echo 1 >"$(printf 'x-\\377')"`)
    const { shown, changes } = await bench.read()
    expect(shown).toEqual([{ path: 'x-\uFFFD', change: 'created' }])
    expect(changes[0]?.path).toBe('x-\uDCFF')
  })

  it('includes files and folders that their owner may not read', async () => {
    const bench = benchWith('true', 'mkdir d; echo 1 >d/a; chmod 000 d/a; chmod 111 d')
    const { changes } = await bench.read()
    expect(changes.map(({ path, after }) => [path, after?.mode])).toEqual([
      ['d', 0o111],
      ['d/a', 0o000],
    ])
    expect(lstatSync(join(bench.upper, 'd')).mode & 0o777).toBe(0o111)
  })

  it('keeps no mark of the overlay in files, but everything else about them', async () => {
    const bench = benchWith(
      'mkdir d; for i in a b; do echo old >d/$i; chmod 640 d/$i; done; echo m >moved',
      'echo new >d/a; touch -d "2001-02-03 04:05:06.123456789" d/a; chmod 604 d/b; mv moved d/c',
    )
    const marksIn = (): string =>
      execFileSync('tar', ['-c', '--xattrs', '--xattrs-include=*', '--format=posix', 'd/a', 'd/b', 'd/c'], {
        cwd: bench.upper,
        encoding: 'latin1',
      })
    expect(marksIn()).toContain('overlay.origin')
    const { shown, notes } = await bench.read()
    expect(shown).toHaveLength(4)
    expect(notes).toEqual([])
    expect(marksIn()).not.toContain('overlay.')
    const { mtimeNs, mode } = lstatSync(join(bench.upper, 'd/a'), { bigint: true })
    expect(mtimeNs % 1_000_000_000n).toBe(123_456_789n)
    expect(Number(mode) & 0o777).toBe(0o640)
    expect(lstatSync(join(bench.upper, 'd/b')).mode & 0o777).toBe(0o604)
    expect(readdirSync(join(bench.upper, '..')).toSorted()).toEqual(['merged', 'old', 'upper', 'work'])
  })

  it('is the same when it is read again', async () => {
    const bench = benchWith(
      'mkdir d e; echo 1 >d/a; echo 2 >e/b; mkdir __pycache__; echo 0 >__pycache__/x',
      'echo 3 >d/a; rm -r e; echo s >.env; mkdir -p n/__pycache__; echo c >n/__pycache__/y; rm -r d; mkdir d; echo 1 >d/a',
    )
    const first = await bench.read()
    const again = await bench.read()
    expect(again.changes).toEqual(first.changes)
    expect(first.leftOut).toHaveLength(1)
    expect(again.leftOut).toEqual([])
  })
})
