import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setFolderAttributes } from '../../../src/host/fs/attributes.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { digest as hash } from '../../../src/host/system/hash.ts'
import { runSteps } from '../../../src/host/system/steps.ts'
import {
  createAttributeCache,
  formatAttributes,
  parseAttributes,
} from '../../../src/workspace/landing/attribute-cache.ts'
import { withAttributes } from '../../../src/workspace/landing/with-attributes.ts'
import { bench, outputOf } from '../../bench-folder.ts'
import { accessOf, listOf } from '../../harness/access-lists.ts'
import { attributesOf, putAttributed } from '../../harness/attributed-files.ts'
import { makeScratch } from '../../harness/scratch.ts'

const NOTE = { 'user.mine': 'precious' }
/** Another user may do everything, the owning group nothing: the mode shows 670, of which 7 is only the limit. */
const LIST = {
  'system.posix_acl_access': listOf([
    ['owner', 6],
    ['user', 7, 2000],
    ['ownGroup', 0],
    ['mask', 7],
    ['others', 0],
  ]),
}

type Call = { readonly name: string; readonly args: unknown }

const write = (content: string): Call => ({ name: 'write_file', args: { path: 'f', content } })
const shell = (line: string): Call => ({ name: 'run_shell', args: { cmd: ['sh', '-c', line] } })

async function openBench(files: Readonly<Record<string, string>>) {
  const b = bench(files)
  const runtime = await b.open({ durability: 'normal', approve: (asked) => asked.map(() => 'once' as const) })
  const run = async (...calls: readonly Call[]): Promise<void> => {
    const results = await runtime.run(calls.map((call, at) => ({ id: `${at}`, ...call })))
    for (const result of results) outputOf(result)
  }
  const see = { name: 'read_file', args: { path: 'f' } }
  return { f: join(b.root, 'f'), d: join(b.root, 'd'), root: b.root, runtime, run, see }
}

const KINDS = [
  ['an attribute', NOTE, 0o644],
  ['an access list', LIST, 0o670],
] as const

describe('what a person gave a file after a call', () => {
  it.for(KINDS)('%s is kept by undo, redo and undo', async ([, given, mode]) => {
    const { f, runtime, run, see } = await openBench({ f: 'one\n' })
    await run(see, write('two\n'))
    putAttributed(f, 'two\n', given, mode)
    const access = accessOf(f)
    const own = attributesOf(f)
    for (const [back, content] of [
      [runtime.undo, 'one\n'],
      [runtime.redo, 'two\n'],
      [runtime.undo, 'one\n'],
    ] as const) {
      expect(await back()).toMatchObject({ ok: true, message: null })
      expect([readFileSync(f, 'utf8'), accessOf(f), attributesOf(f)]).toEqual([content, access, own])
    }
  })

  it.for(KINDS)('%s comes back with a file that an edit created', async ([, given, mode]) => {
    const { f, runtime, run } = await openBench({})
    await run(write('two\n'))
    putAttributed(f, 'two\n', given, mode)
    const access = accessOf(f)
    const own = attributesOf(f)
    expect(await runtime.undo()).toMatchObject({ ok: true })
    expect(existsSync(f)).toBe(false)
    expect(await runtime.redo()).toMatchObject({ ok: true, message: null })
    expect([readFileSync(f, 'utf8'), accessOf(f), attributesOf(f)]).toEqual(['two\n', access, own])
  })

  it.for(KINDS)('%s is kept if two edits around it are undone at once', async ([, given, mode]) => {
    const { f, runtime, run, see } = await openBench({ f: 'one\n' })
    await run(see, write('two\n'))
    putAttributed(f, 'two\n', given, mode)
    const access = accessOf(f)
    const own = attributesOf(f)
    await run(see, write('three\n'))
    expect(await runtime.undo({ last: 2 })).toMatchObject({ ok: true })
    expect([readFileSync(f, 'utf8'), accessOf(f), attributesOf(f)]).toEqual(['one\n', access, own])
    expect(await runtime.redo()).toMatchObject({ ok: true })
    expect([readFileSync(f, 'utf8'), accessOf(f), attributesOf(f)]).toEqual(['three\n', access, own])
  })

  it('the limit of an access list is no right of the group when a file with other attributes takes its place', async () => {
    const { f, root, runtime, run, see } = await openBench({ f: 'one\n' })
    putAttributed(join(root, 'with'), 'noted\n', { 'user.note': 'by command' }, 0o644)
    chmodSync(f, 0o644)
    await run(shell('cp --preserve=xattr with f'), see, write('two\n'))
    expect(await runtime.undo({ last: 2 })).toMatchObject({ ok: true })
    putAttributed(f, 'one\n', LIST, 0o670)
    expect(await runtime.redo()).toMatchObject({ ok: true })
    expect([readFileSync(f, 'utf8'), attributesOf(f), statSync(f).mode & 0o777]).toEqual([
      'two\n',
      { 'user.note': 'by command' },
      0o600,
    ])
  })

  it('a mode is kept if two commands around it are undone at once', async () => {
    const { f, runtime, run } = await openBench({ f: 'one\n' })
    chmodSync(f, 0o644)
    await run(shell('echo two > f'))
    chmodSync(f, 0o600)
    await run(shell('echo three > f'))
    expect(await runtime.undo({ last: 2 })).toMatchObject({ ok: true })
    expect([readFileSync(f, 'utf8'), statSync(f).mode & 0o777]).toEqual(['one\n', 0o600])
  })

  it.runIf(process.getuid?.() === 0)(
    'an owner is kept by undo, and comes back with what undo removes',
    async () => {
      const { f, d, root, runtime, run, see } = await openBench({ f: 'one\n' })
      const made = join(root, 'made')
      const owners = () => [f, made, d].map((path) => (existsSync(path) ? statSync(path).gid : null))
      await run(see, write('two\n'), { name: 'write_file', args: { path: 'made', content: 'new\n' } })
      await run(shell('mkdir d'))
      for (const path of [f, made, d]) chownSync(path, 1600, 1601)
      expect(await runtime.undo({ last: 3 })).toMatchObject({ ok: true })
      expect(owners()).toEqual([1601, null, null])
      expect(await runtime.redo()).toMatchObject({ ok: true })
      expect(owners()).toEqual([1601, 1601, 1601])
    },
  )

  it('is kept beside what the call took from the file, which comes back', () => {
    const scratch = makeScratch()
    const root = openRoot(scratch.folder('root'))
    try {
      putAttributed(scratch.file('root/f'), 'two', { 'user.both': 'same', 'user.mine': 'precious' }, 0o644)
      const journal = new Map<string, Uint8Array>()
      const store = (attributes: Readonly<Record<string, string>>): string => {
        const entries = Object.entries(attributes).map(([name, value]) => [name, Buffer.from(value)] as const)
        const payload = formatAttributes(new Map(entries)) ?? Buffer.of()
        journal.set(hash(payload), payload)
        return hash(payload)
      }
      const state = { digest: 'two', mode: 0o644, uid: 0, gid: 0 }
      const before = { ...state, attributes: store({ 'user.both': 'same', 'user.made': 'by the call' }) }
      const after = { ...state, attributes: store({ 'user.both': 'same', 'user.taken': 'by the call' }) }
      const revert = (contentOf: (digest: string) => Uint8Array | null) =>
        runSteps(
          withAttributes([{ root: root.path, path: 'f', before, after, folders: [] }], {
            rootOf: () => root,
            cache: createAttributeCache(),
            contentOf,
          }),
        )
      const { changes, payloads } = revert((digest) => journal.get(digest) ?? null)
      const shown = [changes[0]?.before, changes[0]?.after].map((side) => {
        const named = parseAttributes(payloads.get(side?.attributes ?? '') ?? Buffer.from('[]'))
        return Object.fromEntries([...named].map(([name, value]) => [name, Buffer.from(value).toString()]))
      })
      expect(shown).toEqual([
        { 'user.both': 'same', 'user.mine': 'precious' },
        { 'user.both': 'same', 'user.mine': 'precious', 'user.taken': 'by the call' },
      ])
      expect(revert(() => null).changes[0]?.after).toEqual(after)
    } finally {
      root.close()
    }
  })
})

describe('what a person gave a folder that a command made', () => {
  const MINE = listOf([
    ['owner', 7],
    ['user', 7, 2000],
    ['ownGroup', 0],
    ['mask', 7],
    ['others', 0],
  ])

  function give(folder: string): void {
    const { uid, gid } = statSync(folder)
    const attributes = new Map([['system.posix_acl_access', MINE]])
    expect(setFolderAttributes(folder, { mode: 0o770, uid, gid, attributes })).toBe(true)
  }

  it('comes back with it', async () => {
    const { d, runtime, run } = await openBench({})
    await run(shell('mkdir d; echo x > d/x; chmod 755 d'))
    give(d)
    const access = accessOf(d)
    expect(await runtime.undo()).toMatchObject({ ok: true })
    expect(existsSync(d)).toBe(false)
    expect(await runtime.redo()).toMatchObject({ ok: true })
    expect(accessOf(d)).toBe(access)
  })

  it('stays if the folder does, because something else is in it', async () => {
    const { d, runtime, run } = await openBench({})
    await run(shell('mkdir -p d/e; echo x > d/x; chmod 755 d d/e'))
    writeFileSync(join(d, 'mine'), 'mine')
    mkdirSync(join(d, 'e/mine'))
    chmodSync(join(d, 'e'), 0o700)
    give(d)
    const access = accessOf(d)
    expect(await runtime.undo()).toMatchObject({ ok: true })
    expect([existsSync(join(d, 'x')), accessOf(d), statSync(join(d, 'e')).mode & 0o777]).toEqual([
      false,
      access,
      0o700,
    ])
  })
})
