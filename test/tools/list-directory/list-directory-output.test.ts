import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listDirectory } from '../../../src/tools/list-directory.ts'
import { bench, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { entriesOf, pathsOf } from './listing.ts'
import { roundsOf } from '../../harness/long-run.ts'

const FIELDS = ['path', 'entries', 'returned', 'max_entries', 'truncated', 'truncated_reason']

/** Makes a file whose name is exactly these bytes. */
function putBytes(b: Bench, name: readonly number[] | string): void {
  writeFileSync(
    Buffer.concat([
      Buffer.from(`${b.root}/`),
      typeof name === 'string' ? Buffer.from(name) : Buffer.from(name),
    ]),
    '',
  )
}

/** Makes the files in this order, all of the same age. */
function settle(b: Bench, names: readonly string[]): void {
  for (const name of names) b.put(name, name)
  for (const name of [...names, 'd']) utimesSync(join(b.root, name), 1_000, 1_000)
}

describe('order', () => {
  it('FR-LD-LST-05: depth first, a folder before what it holds, names by code point', async () => {
    // U+FF5E lies below U+1F600, although its UTF-16 unit lies above that one's first.
    const b = bench({ 'B/x': '', 'a/x': '', 'a/B': '', _: '', '\uFF5E': '', '😀': '', é: '' })
    const walked: string[][] = []
    for (let max_entries = 1; max_entries <= 10; max_entries++) {
      walked.push([...pathsOf(await b.call('list_directory', { path: '.', recursive: true, max_entries }))])
    }
    const order = walked.map((paths, index) =>
      paths.find((path) => !(walked[index - 1] ?? []).includes(path)),
    )
    expect(order).toEqual(['B', 'B/x', '_', 'a', 'a/B', 'a/x', 'é', '\uFF5E', '😀', undefined])
  })

  it('FR-LD-OUT-01: the entries are sorted by their whole path', async () => {
    const b = bench({ 'a/x': '', 'a-b': '', 'a.c': '', a0: '', ab: '' })
    const result = await b.call('list_directory', { path: '.', recursive: true })
    expect(pathsOf(result)).toEqual(['a', 'a-b', 'a.c', 'a/x', 'a0', 'ab'])
  })

  it('the order is that of the UTF-8 bytes, for any names', async () => {
    const b = bench()
    const runtime = await b.open()
    const letter = fc.constantFrom('a', 'B', '-', '.', '0', 'é', 'ÿ', '日', '\uFF5E', '\uFFFD', '😀', '𐀀')
    const name = fc.array(letter, { minLength: 1, maxLength: 4 }).map((letters) => `n${letters.join('')}`)
    let count = 0
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(name, fc.boolean()), { maxLength: 8, selector: ([text]) => text }),
        async (names) => {
          const folder = `case${count++}`
          mkdirSync(join(b.root, folder))
          for (const [text, isFolder] of names)
            b.put(isFolder ? `${folder}/${text}/in` : `${folder}/${text}`, '')
          const [result] = await runtime.run([
            { id: 'c', name: 'list_directory', args: { path: folder, recursive: true } },
          ])
          const paths = names.flatMap(([text, isFolder]) => (isFolder ? [text, `${text}/in`] : [text]))
          expect(pathsOf(result)).toEqual(
            paths.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
          )
        },
      ),
      { numRuns: roundsOf(13, 40) },
    )
  })
})

describe('the same again', () => {
  it('LD/C-03: the same files give the same bytes, however they came to be there', async () => {
    const names = ['z', 'd/b', 'd/a', 'm', 'é', '😀', '\uFF5E', 'A']
    const one = bench()
    const other = bench()
    settle(one, names)
    settle(other, names.toReversed())
    const args = { path: '.', recursive: true }
    expect((await one.call('list_directory', args)).content).toBe(
      (await other.call('list_directory', args)).content,
    )
  })

  it('FR-LD-OUT-02: also under a limit, and with names that are no UTF-8', async () => {
    const orders = [
      [[0x62, 0xff], [0x62, 0xfe], [0x61, 0x80], [0x63]],
      [[0x63], [0x61, 0x80], [0x62, 0xfe], [0x62, 0xff]],
    ]
    const contents: string[] = []
    for (const order of orders) {
      const b = bench()
      for (const name of order) putBytes(b, name)
      for (const name of order)
        utimesSync(Buffer.concat([Buffer.from(`${b.root}/`), Buffer.from(name)]), 1_000, 1_000)
      for (const max_entries of [4, 3, 2, 1])
        contents.push((await b.call('list_directory', { path: '.', max_entries })).content)
    }
    expect(contents.slice(4)).toEqual(contents.slice(0, 4))
  })
})

describe('the JSON', () => {
  it('FR-LD-OUT-02a: has its keys in the fixed order and no blanks', async () => {
    const b = bench({ 'a "b"\t\\c': '', 'é😀': '' })
    utimesSync(join(b.root, 'é😀'), 1, 1)
    utimesSync(join(b.root, 'a "b"\t\\c'), 2, 2)
    const { content } = await b.call('list_directory', { path: '.' })
    expect(Object.keys(JSON.parse(content) as object)).toEqual(FIELDS)
    const rest = '"is_hidden":false,"error_code":null,"error":null}'
    expect(content).toBe(
      '{"path":".","entries":[' +
        `{"name":"a \\"b\\"\\t\\\\c","path":"a \\"b\\"\\t\\\\c","depth":1,"type":"file","size_bytes":0,"modified_epoch_ms":2000,${rest},` +
        `{"name":"é😀","path":"é😀","depth":1,"type":"file","size_bytes":0,"modified_epoch_ms":1000,${rest}` +
        '],"returned":2,"max_entries":200,"truncated":false,"truncated_reason":null}',
    )
  })

  it('FR-LD-OUT-02b: the count is the length of the list, and a reason stands there exactly when something is missing', async () => {
    const b = bench(Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`f${index}`, ''])))
    const reasons = new Set<unknown>()
    for (const [max_entries, maxBytes] of [
      [12, 102_400],
      [5, 102_400],
      [12, 900],
      [5, 300],
      [200, 400],
    ] as const) {
      const result = await b.call(
        'list_directory',
        { path: '.', max_entries },
        { config: { 'tools.output.max_bytes': maxBytes } },
      )
      const { returned, truncated, truncated_reason } = outputOf(result)
      expect(returned).toBe(entriesOf(result).length)
      expect(truncated).toBe(returned !== 12)
      expect(truncated_reason === null).toBe(!truncated)
      reasons.add(truncated_reason)
    }
    expect(reasons).toEqual(new Set([null, 'max_entries', 'max_output_bytes']))
  })

  it('FR-LD-OUT-04: is never cut by the framework', async () => {
    expect(listDirectory.present.mayTruncate).toBe(false)
    const b = bench(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`file-${index}`, ''])))
    const { content } = await b.call(
      'list_directory',
      { path: '.' },
      { config: { 'tools.output.max_bytes': 1000 } },
    )
    expect(content).not.toContain('output truncated')
    expect(() => JSON.parse(content) as unknown).not.toThrow()
  })
})

describe('names', () => {
  it('T-LD-09: a name that is no UTF-8 is shown with replacement characters', async () => {
    const b = bench()
    putBytes(b, [0x61, 0xff, 0x62])
    putBytes(b, [0xe2, 0x82])
    const result = await b.call('list_directory', { path: '.' })
    expect(pathsOf(result)).toEqual(['a\uFFFDb', '\uFFFD'])
    expect(result.content.isWellFormed()).toBe(true)
    expect(entriesOf(result).map(({ type }) => type)).toEqual(['file', 'file'])
  })

  it('NFR-LD-REL-02: the readable form decides the order, and such a folder can be gone into', async () => {
    const b = bench({ 'a\uFFFDa': '', 'a\uFFFDz': '' })
    // By its bytes this one would come last: 0xff lies above the first byte of U+FFFD.
    mkdirSync(Buffer.concat([Buffer.from(`${b.root}/`), Buffer.from([0x61, 0xff, 0x6d])]))
    putBytes(b, [0x61, 0xff, 0x6d, 0x2f, 0x66])
    const result = await b.call('list_directory', { path: '.', recursive: true })
    expect(pathsOf(result)).toEqual(['a\uFFFDa', 'a\uFFFDm', 'a\uFFFDm/f', 'a\uFFFDz'])
  })

  it('two names that read alike are two entries', async () => {
    const b = bench()
    putBytes(b, [0x78, 0xfe])
    putBytes(b, [0x78, 0xff])
    expect(pathsOf(await b.call('list_directory', { path: '.' }))).toEqual(['x\uFFFD', 'x\uFFFD'])
  })

  it('names with line breaks and direction marks come through exactly', async () => {
    const names = ['new\nline', 'rtl\u202Etxt', 'tab\tbed', 'esc\u001B[31m']
    const b = bench(Object.fromEntries(names.map((name) => [name, ''])))
    const result = await b.call('list_directory', { path: '.' })
    expect(pathsOf(result)).toEqual(names.toSorted())
    expect(result.content).not.toContain('\n')
  })
})
