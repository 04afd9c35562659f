import * as fs from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWithAttributes, readAttributes } from '../../../src/host/fs/attributes.ts'
import { readFirstAttributes, writeArchive } from '../../../src/host/fs/pax.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import type { Root } from '../../../src/host/root/root.ts'
import { createAttributeCache } from '../../../src/workspace/landing/attribute-cache.ts'
import { stage } from '../../../src/workspace/landing/contents/stage-content.ts'
import { runSteps } from '../../../src/host/system/steps.ts'
import { closeFolders } from '../../../src/workspace/landing/folder-changes.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { bench, outputOf } from '../../bench-folder.ts'
import type { Bench } from '../../bench-folder.ts'
import { attributesOf, putAttributed } from '../../harness/attributed-files.ts'

const NOTE = { 'user.note': 'hand\0made\n=', 'user.empty': '' }
/** An access list that lets user 1 read, as the system keeps it. */
const ACL = Buffer.from(
  '0200000001000600ffffffff020004000100000004000400ffffffff10000600ffffffff20000400ffffffff',
  'hex',
)

const OPTIONS = {
  durability: 'normal',
  approve: (asked: readonly unknown[]) => asked.map(() => 'once' as const),
} as const

async function inRuntime<T>(b: Bench, use: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await b.open(OPTIONS)
  return use(runtime)
}

const overwrite = (path: string, content: string) => [
  { id: 'r', name: 'read_file', args: { path } },
  { id: 'w', name: 'write_file', args: { path, content } },
]

describe('extended attributes', () => {
  it('survive an edit, its undo and its redo, with mode and owner', async () => {
    const b = bench({ 'plain.txt': 'plain\n' })
    const path = join(b.root, 'marked.txt')
    putAttributed(path, 'old\n', NOTE)
    await inRuntime(b, async (runtime) => {
      for (const result of await runtime.run(overwrite('marked.txt', 'new\n'))) outputOf(result)
      expect(fs.readFileSync(path, 'utf8')).toBe('new\n')
      expect(attributesOf(path)).toEqual(NOTE)
      expect(fs.statSync(path).mode & 0o7777).toBe(0o640)
      expect((await runtime.undo()).ok).toBe(true)
      expect(fs.readFileSync(path, 'utf8')).toBe('old\n')
      expect(attributesOf(path)).toEqual(NOTE)
      expect((await runtime.redo()).ok).toBe(true)
      expect(fs.readFileSync(path, 'utf8')).toBe('new\n')
      expect(attributesOf(path)).toEqual(NOTE)
    })
    expect(fs.readdirSync(b.root).toSorted()).toEqual(['marked.txt', 'plain.txt'])
  })

  it('survive as they are now: what changed between two edits counts, and so it does for undo', async () => {
    const b = bench()
    const path = join(b.root, 'marked.txt')
    putAttributed(path, 'old\n', NOTE)
    await inRuntime(b, async (runtime) => {
      for (const result of await runtime.run(overwrite('marked.txt', 'new\n'))) outputOf(result)
      putAttributed(path, 'new\n', { 'user.other': 'x' })
      for (const result of await runtime.run(overwrite('marked.txt', 'newer\n'))) outputOf(result)
      expect(attributesOf(path)).toEqual({ 'user.other': 'x' })
      putAttributed(path, 'newer\n', {})
      expect((await runtime.undo()).ok).toBe(true)
      expect(attributesOf(path)).toEqual({})
    })
  })

  it('an access list survives', async () => {
    const b = bench()
    const path = join(b.root, 'shared.txt')
    putAttributed(path, 'old\n', { 'system.posix_acl_access': ACL }, 0o664)
    const before = attributesOf(path)
    expect(Object.keys(before)).toEqual(['system.posix_acl_access'])
    await inRuntime(b, async (runtime) => {
      for (const result of await runtime.run(overwrite('shared.txt', 'new\n'))) outputOf(result)
    })
    expect(attributesOf(path)).toEqual(before)
    expect(fs.statSync(path).mode & 0o777).toBe(0o664)
  })

  it('come back with a file whose removal is undone, also after the journal was opened anew', async () => {
    const b = bench()
    const from = join(b.root, 'from.txt')
    putAttributed(from, 'content\n', NOTE)
    const calls = [
      { id: 'r', name: 'read_file', args: { path: 'from.txt' } },
      { id: 'd', name: 'delete_path', args: { path: 'from.txt' } },
    ]
    const first = await b.open(OPTIONS)
    for (const result of await first.run(calls)) outputOf(result)
    expect(fs.existsSync(from)).toBe(false)
    await first.close()
    await inRuntime(b, async (runtime) => expect((await runtime.undo()).ok).toBe(true))
    expect(attributesOf(from)).toEqual(NOTE)
  })

  it('of many files are asked about at once, and of files that are known not again', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `f${index}.txt`)
    const b = bench(Object.fromEntries(names.map((name) => [name, 'one\n'])))
    putAttributed(join(b.root, 'f7.txt'), 'one\n', NOTE)
    await new Promise((resolve) => setTimeout(resolve, 60))
    const patch = (from: string, to: string): string =>
      `LP1\n${names.map((name) => `F ${name}\nR\n${from}\n.\n${to}\n.`).join('\n')}\nEND\n`
    const runtime = await b.open({
      durability: 'normal',
      config: { 'tools.approval.mode': 'auto', 'tools.max_tool_calls_per_batch': 100 },
    })
    await runtime.run(names.map((path) => ({ id: path, name: 'read_file', args: { path } })))
    for (const [from, to] of [
      ['one', 'two'],
      ['two', 'three'],
    ] as const) {
      outputOf((await runtime.run([{ id: 'p', name: 'apply_patch', args: { patch: patch(from, to) } }]))[0])
      expect(attributesOf(join(b.root, 'f7.txt'))).toEqual(NOTE)
      expect(attributesOf(join(b.root, 'f8.txt'))).toEqual({})
      expect(fs.readFileSync(join(b.root, 'f7.txt'), 'utf8')).toBe(`${to}\n`)
    }
  })

  it('any values come back from an archive as they were put in', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.stringMatching(/^user\.[a-z=. ]{1,60}$/).filter((name) => !name.includes('=')),
          fc.uint8Array({ maxLength: 2000 }),
        ),
        (values) => {
          const attributes = new Map(Object.entries(values))
          const archive = writeArchive({
            name: 'x',
            content: Buffer.from('c'),
            mode: 0o644,
            uid: 1,
            gid: 1,
            attributes,
          })
          expect(
            new Map([...readFirstAttributes(archive)].map(([name, value]) => [name, new Uint8Array(value)])),
          ).toEqual(attributes)
        },
      ),
    )
  })

  it('what cannot be read or made is said, and is not taken for no attributes', () => {
    const b = bench()
    const file = { name: 'x', content: Buffer.from('c'), mode: 0o644, uid: 0, gid: 0, attributes: new Map() }
    expect(createWithAttributes(join(b.root, 'nowhere'), file)).toBe(false)
    expect(readAttributes(join(b.root, 'nothing'))).toBeNull()
    putAttributed(join(b.root, 'f'), 'f', NOTE)
    const root = openRoot(b.root)
    try {
      const openFile: Root['openFile'] = (path) => {
        const opened = root.openFile(path)
        return {
          stat: opened.stat,
          systemPath: join(b.root, 'nothing'),
          read: () => 0,
          readAll: () => Buffer.alloc(0),
          sync: () => opened.sync(),
          close: () => opened.close(),
        }
      }
      const unreadable = { ...root, openFile }
      const { read } = createAttributeCache()
      expect(() => read([{ root: unreadable, path: 'f' }])).toThrow(/attributes of f cannot be read/)
      expect(read([{ root, path: 'f' }]).digests.size).toBe(1)
    } finally {
      root.close()
    }
  })

  it('that the journal no longer holds give the group no rights, as they may have held an access list', () => {
    const b = bench({ 'd/f': 'f' })
    const root = openRoot(b.root)
    try {
      const owner = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }
      const change = { root: b.root, path: 'd', before: null, folders: [] }
      const folder = { kind: 'folder', digest: '', mode: 0o775, ...owner, attributes: 'gone' } as const
      const closing = closeFolders([{ root, change: { ...change, after: folder } }], () => undefined, {
        contentOf: () => null,
        inherited: new Map(),
      })
      runSteps(closing)
      expect(fs.statSync(join(b.root, 'd')).mode & 0o777).toBe(0o705)
      const after = { digest: 'content', mode: 0o664, ...owner, attributes: 'gone' }
      stage(
        { root, change: { ...change, path: 'n', after }, staged: 'n', status: 'before', found: null },
        after,
        {
          contentOf: (digest) => (digest === 'content' ? Buffer.from('n') : null),
          defaultsOf: () => null,
        },
      )
      expect(fs.statSync(join(b.root, 'n')).mode & 0o777).toBe(0o604)
    } finally {
      root.close()
    }
  })
})
