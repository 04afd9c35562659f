import { chmodSync, chownSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { bench, outputOf } from '../../bench-folder.ts'
import { compareFiles, describeFiles, withoutTimes } from '../../harness/layers/describe-files.ts'

/** A tree whose folders differ in their modes, one of them empty. */
async function open() {
  const b = bench({ 'private/s.txt': 's\n', 'private/open/o.txt': 'o\n' })
  const at = (path: string): string => join(b.root, path)
  mkdirSync(at('private/empty'))
  for (const [path, mode] of [
    ['private/empty', 0o750],
    ['private/open', 0o2755],
    ['private', 0o700],
  ] as const)
    chmodSync(at(path), mode)
  // Only root may choose any group.
  if (process.getuid?.() === 0) chownSync(at('private/open'), 0, 4242)
  chmodSync(at('private/open'), 0o2755)
  const runtime = await b.open({ approve: (asked) => asked.map(() => 'once' as const) })
  const call = async (name: string, args: unknown) => {
    const [result] = await runtime.run([{ id: 'c', name, args }])
    return outputOf(result)
  }
  const look = () => describeFiles(b.root)
  return { runtime, call, look, at }
}

it('a folder that is deleted comes back with the modes of everything in it, and with folders that are empty', async () => {
  const { runtime, call, look, at } = await open()
  const before = look()
  await call('delete_path', { path: 'private' })
  expect(existsSync(at('private'))).toBe(false)
  for (const word of ['undo', 'redo', 'undo'] as const) {
    expect(await runtime[word]()).toMatchObject({ ok: true, message: null })
    expect(compareFiles(withoutTimes(word === 'undo' ? before : new Map()), withoutTimes(look()))).toEqual([])
  }
})

it('a folder that is moved keeps its modes, there and back', async () => {
  const { runtime, call, look, at } = await open()
  const before = look()
  await call('move_path', { from: 'private', to: 'further/moved' })
  expect(existsSync(at('private'))).toBe(false)
  const modes = ['', '/open', '/empty'].map((path) => statSync(at(`further/moved${path}`)).mode & 0o7777)
  expect(modes).toEqual([0o700, 0o2755, 0o750])
  const after = look()
  for (const word of ['undo', 'redo', 'undo'] as const) {
    expect(await runtime[word]()).toMatchObject({ ok: true, message: null })
    expect(compareFiles(withoutTimes(word === 'undo' ? before : after), withoutTimes(look()))).toEqual([])
  }
})

it('an empty folder can be deleted and brought back', async () => {
  const { runtime, call, look, at } = await open()
  const before = look()
  await call('delete_path', { path: 'private/empty' })
  expect(existsSync(at('private/empty'))).toBe(false)
  expect(await runtime.undo()).toMatchObject({ ok: true })
  expect(compareFiles(before, look())).toEqual([])
})

it('a new file in a folder with the setgid bit belongs to the group of the folder, below new folders too', async () => {
  const { call, at } = await open()
  const group = statSync(at('private/open')).gid
  await call('write_file', { path: 'private/open/new', content: '' })
  await call('write_file', { path: 'private/open/deeper/new', content: '' })
  for (const path of ['new', 'deeper', 'deeper/new'])
    expect(statSync(at(`private/open/${path}`)).gid).toBe(group)
})

it.each([
  ['delete_path', { path: 'mixed' }],
  ['move_path', { from: 'mixed', to: 'elsewhere' }],
] as const)('%s takes no folder of which something would stay behind', async (name, args) => {
  const files = { 'mixed/f': '1', 'mixed/.env': 'A=1', 'mixed/deep/.aws/credentials': 'k' }
  for (const isNamed of [true, false]) {
    const b = bench(isNamed ? files : { 'mixed/f': '1' })
    if (!isNamed)
      writeFileSync(Buffer.concat([Buffer.from(join(b.root, 'mixed/bad')), Buffer.of(0xff)]), 'kept')
    const runtime = await b.open({ approve: (asked) => asked.map(() => 'once' as const) })
    const before = describeFiles(b.root)
    const [result] = await runtime.run([{ id: 'c', name, args }])
    expect(result?.ok).toBe(false)
    for (const path of isNamed ? ['mixed/.env', 'mixed/deep/.aws'] : ['mixed/bad\uFFFD'])
      expect(result?.content).toContain(path)
    expect(compareFiles(before, describeFiles(b.root))).toEqual([])
    await runtime.close()
  }
})

it('a folder with a replacement character in a name of it is no other', async () => {
  const b = bench({ 'mixed/odd\uFFFD': '1' })
  const runtime = await b.open({ approve: (asked) => asked.map(() => 'once' as const) })
  const [result] = await runtime.run([{ id: 'c', name: 'delete_path', args: { path: 'mixed' } }])
  expect(outputOf(result)).toMatchObject({ files: ['mixed/odd\uFFFD'] })
  expect(existsSync(join(b.root, 'mixed'))).toBe(false)
  await runtime.close()
})
