import { describe, expect, it } from 'vitest'
import { relativeTo } from '../../../src/host/root/rel-path.ts'
import type { Root } from '../../../src/host/root/root.ts'
import { createSandbox } from '../../../src/workspace/sandbox/sandbox.ts'
import { codeOf, failureOf, makeScratch } from '../../harness/scratch.ts'
import { makeSandbox, openForTest } from './make-sandbox.ts'

/** The letters by which some file system takes one name for another. */
const plain = (path: string): string => path.replaceAll('ℯ', 'e')

/** A root on a file system that folds more than anybody knows of. */
function foldingRoot(path: string, listed = (names: readonly string[]) => names): Root {
  const root = openForTest(path)
  return {
    ...root,
    stat: (rel) => root.stat(plain(rel)),
    resolve(asked, budget) {
      const found = root.resolve(plain(asked), budget)
      return found.isInside && found.links === 0
        ? { ...found, rel: relativeTo(root.path, asked) ?? asked }
        : found
    },
    list(rel) {
      const entries = root.list(plain(rel))
      const names = listed(entries.map(({ exactName }) => exactName))
      return entries.filter(({ exactName }) => names.includes(exactName))
    },
  }
}

function folding(scratch: ReturnType<typeof makeScratch>, listed?: (names: readonly string[]) => string[]) {
  return createSandbox({
    roots: [foldingRoot(scratch.folder('root'), listed)],
    deniedPatterns: [],
    allowAbsolute: false,
    includeDefaultDenies: true,
  })
}

describe('a name that a file system folds', () => {
  it.each([
    '.e\u00adnv',
    'server.k\ufe0fey',
    '.\u1e9eh/known',
    '.ſ\u2060ſh/known',
    '.g\u2060it',
    '.g\u{e0020}it/config',
    '.tongs\u2060.toml',
    'a/.tong\u017f.toml',
  ])('is denied in a spelling with other characters, also for a new file: %j', (path) => {
    const scratch = makeScratch()
    scratch.file('root/a/b')
    expect(codeOf(() => makeSandbox(scratch).locate(path, 'write'))).toBe('denied_pattern')
  })

  it.each([
    ['.ℯnv', 'read'],
    ['.ℯnv', 'write'],
    ['a/.nℯtrc', 'read'],
    ['.azurℯ/new', 'write'],
    ['linkℯ.kℯy', 'read'],
  ] as const)('is judged by the name that its folder lists, however it is opened: %s', (path, intent) => {
    const scratch = makeScratch()
    for (const one of ['.env', 'a/.netrc', '.azure/config', 'open']) scratch.file(`root/${one}`)
    scratch.link('root/linke.key', 'open')
    expect(failureOf(() => folding(scratch).locate(path, intent))).toMatchObject({
      code: 'denied_pattern',
      details: { attempted: path },
    })
  })

  it('is refused if its folder lists no name for what it opens', () => {
    const scratch = makeScratch()
    scratch.file('root/hidden')
    const sandbox = folding(scratch, (names) => names.filter((one) => one !== 'hidden'))
    expect(codeOf(() => sandbox.locate('hiddℯn', 'read'))).toBe('bad_args')
  })

  it('control: opens if no listed name of it is denied, and may be new', () => {
    const scratch = makeScratch()
    scratch.file('root/öffentlich/one')
    scratch.file('root/ope')
    const sandbox = folding(scratch)
    for (const path of ['öffentlich/one', 'O\u0308ffentlich', 'opℯ', 'neü', 'neü/noch-neü'])
      expect(sandbox.locate(path, 'write').rel, path).toBe(path)
  })
})
