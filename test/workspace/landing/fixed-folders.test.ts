import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { bench, errorOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'

/** Only root can protect names. */
const isRoot = process.getuid?.() === 0

const fixed: string[] = []
afterEach(() => {
  // What stays protected could not be removed.
  for (const path of fixed.splice(0)) spawnSync('chattr', ['-f', '-i', '-a', path])
})

function fix(b: Bench, flag: '+a' | '+i', name: string): void {
  fixed.push(join(b.root, name))
  execFileSync('chattr', [flag, join(b.root, name)])
}

const YES = { approve: (asked: readonly unknown[]) => asked.map(() => 'once' as const) }
const namesIn = (b: Bench): readonly string[] =>
  readdirSync(b.root, { recursive: true, encoding: 'utf8' }).toSorted()

const FILES = { 'd/f.txt': 'one\n', 'p.txt': 'one\n' }

describe.runIf(isRoot)('an append-only folder', () => {
  it.each([
    ['write_file', { path: 'd/new.txt', content: 'x' }],
    ['move_path', { from: 'p.txt', to: 'd/p.txt' }],
  ])('takes no new file by %s, and nothing is left in it', async (tool, args) => {
    const b = bench(FILES)
    fix(b, '+a', 'd')
    const before = namesIn(b)
    expect(errorOf(await b.call(tool, args, YES)).message).toContain('Cannot write to the folder d')
    expect(namesIn(b)).toEqual(before)
  })

  it.each(['+a', '+i'] as const)(
    'in a folder (%s) keeps that from being removed, and nothing claims otherwise',
    async (flag) => {
      const b = bench(FILES)
      mkdirSync(join(b.root, 'd', 'empty'))
      fix(b, flag, 'd/empty')
      const before = namesIn(b)
      const { message } = errorOf(await b.call('delete_path', { path: 'd' }, YES))
      expect(message).toContain('Cannot replace or remove d/empty')
      expect(namesIn(b)).toEqual(before)
    },
  )

  it.each([
    ['a folder in which a file is replaced', 'echo two > d/f.txt; echo new > d/k.txt; echo two > p.txt', 'd'],
    ['an empty folder that is removed', 'rm -r d; echo two > p.txt', 'd/empty'],
    ['a file that is changed', 'echo two >> d/f.txt; echo two > p.txt', 'd/f.txt'],
  ])('found before a command lands: %s', async (_what, line, name) => {
    const b = bench(FILES)
    mkdirSync(join(b.root, 'd', 'empty'))
    const before = namesIn(b)
    const asking = (asked: readonly unknown[]) => {
      fix(b, '+a', name)
      return asked.map(() => 'once' as const)
    }
    const result = await b.call('run_shell', { cmd: ['sh', '-c', line] }, { approve: asking })
    expect(errorOf(result)).toMatchObject({
      code: 'execution_failed',
      message: expect.stringMatching(
        /^Nothing was landed: |^run_shell failed: Nothing was landed: /,
      ) as string,
    })
    expect(namesIn(b)).toEqual(before)
    for (const path of ['d/f.txt', 'p.txt']) expect(readFileSync(join(b.root, path), 'utf8')).toBe('one\n')
  })
})

describe.runIf(isRoot)('a folder of another user in a sticky folder', () => {
  it('is not said to be removed or moved', () => {
    const top = mkdtempSync(join(tmpdir(), 'tongs-sticky-'))
    try {
      const [node, child] = ordinaryProgram(new URL('fixed-folder-child.ts', import.meta.url))
      const text = execFileSync(node, [child, top], { encoding: 'utf8', timeout: PATIENCE_MS })
      const { results, left } = JSON.parse(text) as {
        readonly results: readonly { readonly ok: boolean; readonly content: string }[]
        readonly left: readonly string[]
      }
      expect(results.map(({ ok }) => ok)).toEqual([false, false])
      for (const { content } of results) expect(content).toContain('belongs to another user')
      expect(left).toEqual(['shared', 'shared/theirs', 'shared/theirs/f.txt', 'shared/theirs/in'])
      expect(existsSync(join(top, 'root', 'mine'))).toBe(false)
    } finally {
      rmSync(top, { recursive: true, force: true })
    }
  })
})
