import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { compareFiles, describeFiles } from '../../harness/layers/describe-files.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { makeShop, shopHere } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { shellCall } from './land-command.ts'

const shops: Shop[] = []
afterAll(() => {
  for (const made of shops) made.remove()
})

const FILES = { 'a.txt': 'a\n', 'b.txt': 'b\n', 'old/one': '1\n', 'old/two': '2\n', 'other/x': 'x\n' }

function shop(): Shop {
  const made = makeShop(FILES)
  shops.push(made)
  return shopHere(made)
}

const LINE = 'echo changed > a.txt; rm b.txt; rm -r old; mkdir -p new/sub; echo new > new/sub/file'

describe('what a person does while a command has not landed yet', () => {
  it.each<readonly [string, string, (s: Shop) => void]>([
    ['edits a file that it changed', 'a.txt', (s) => s.put('a.txt', 'mine\n')],
    ['deletes a file that it changed', 'a.txt', (s) => rmSync(join(s.root, 'a.txt'))],
    ['edits a file that it deleted', 'b.txt', (s) => s.put('b.txt', 'mine\n')],
    ['creates a file that it created', 'new', (s) => s.put('new/sub/file', 'mine\n')],
    ['puts a file into a folder that it deleted', 'old/three', (s) => s.put('old/three', '3\n')],
    ['puts a file where it made a folder', 'new', (s) => s.put('new', 'mine\n')],
    [
      'replaces a folder by a link out of the workspace',
      'old',
      (s) => {
        rmSync(join(s.root, 'old'), { recursive: true })
        mkdirSync(join(s.root, '../outside/one'), { recursive: true })
        symlinkSync('../outside', join(s.root, 'old'))
      },
    ],
  ])('%s: it conflicts, and nothing lands', async (_what, path, change) => {
    const s = shop()
    expect((await s.batch([shellCall(LINE)])).code).toBe(4)
    change(s)
    const theirs = describeFiles(s.root)
    const outside = describeFiles(join(s.root, '..', 'root'))
    const { code, rows } = await s.tongs(['approve', 'all', '--json'])
    expect(code).toBe(1)
    expect(outcomes(rows)).toEqual(['stale_file'])
    expect(JSON.stringify(rows[0])).toContain(path)
    expect(compareFiles(theirs, describeFiles(s.root))).toEqual([])
    expect(compareFiles(outside, describeFiles(join(s.root, '..', 'root')))).toEqual([])
  })

  it('puts another folder in the place of the workspace: nothing lands there', async () => {
    const s = shop()
    expect((await s.batch([shellCall('echo new > new.txt')])).code).toBe(4)
    renameSync(s.root, `${s.root}-before`)
    mkdirSync(s.root)
    const { rows } = await s.tongs(['approve', 'all', '--json'])
    expect(outcomes(rows)).toEqual(['stale_file'])
    expect(rows[0]?.content).toContain('is not the folder that the command ran in')
    expect(readdirSync(s.root)).toEqual([])
    expect(existsSync(join(`${s.root}-before`, 'new.txt'))).toBe(false)
  })

  it('changes other files: it lands, and theirs stay', async () => {
    const s = shop()
    expect((await s.batch([shellCall(LINE)])).code).toBe(4)
    s.put('other/x', 'mine\n')
    s.put('other/y', 'mine\n')
    s.put('c.txt', 'mine\n')
    expect((await s.tongs(['approve', 'all', '--json'])).code).toBe(0)
    expect(['a.txt', 'b.txt', 'new/sub/file', 'other/x', 'c.txt'].map(s.get)).toEqual([
      'changed\n',
      null,
      'new\n',
      'mine\n',
      'mine\n',
    ])
    expect((await s.tongs(['undo', '--yes', '--session', 'cli'])).code).toBe(0)
    expect(['a.txt', 'b.txt', 'other/x'].map(s.get)).toEqual(['a\n', 'b\n', 'mine\n'])
  })
})

describe('commands of two sessions at a time', () => {
  const runBoth = async (one: string, other: string) => {
    const s = shop()
    const line = (text: string) => `${text}; sleep 0.2`
    const real = shops.at(-1) ?? s
    const ends = await Promise.all(
      [one, other].map((text, at) => real.batch([shellCall(line(text))], '--yes', '--session', `s${at}`)),
    )
    return { s, codes: ends.map(({ rows }) => outcomes(rows)[0]).toSorted() }
  }

  it('both land on different files', async () => {
    const { s, codes } = await runBoth('echo one > a.txt', 'echo two > b.txt; echo new > c.txt')
    expect(codes).toEqual(['ok', 'ok'])
    expect(['a.txt', 'b.txt', 'c.txt'].map(s.get)).toEqual(['one\n', 'two\n', 'new\n'])
  })

  it('only one lands on the same file, and the other is stale', async () => {
    const s = shop()
    for (const at of [0, 1])
      expect(
        (await s.batch([shellCall(`echo ${at} > a.txt; echo ${at} > only${at}`)], '--session', `s${at}`))
          .code,
      ).toBe(4)
    const real = shops.at(-1) ?? s
    const ends = await Promise.all(
      [0, 1].map((at) => real.tongs(['approve', 'all', '--session', `s${at}`, '--json'])),
    )
    expect(ends.map(({ rows }) => outcomes(rows)[0]).toSorted()).toEqual(['ok', 'stale_file'])
    const won = outcomes(ends[0]?.rows ?? [])[0] === 'ok' ? 0 : 1
    expect(['a.txt', `only${won}`, `only${1 - won}`].map(s.get)).toEqual([`${won}\n`, `${won}\n`, null])
    expect((await s.tongs(['audit', 'verify'])).code).toBe(0)
  })
})
