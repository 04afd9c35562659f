import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readFirstAttributes, writeArchive } from '../../../src/host/fs/pax.ts'
import { bench, outputOf } from '../../bench-folder.ts'
import { useShops } from '../../faces/cli/command-line.ts'
import { shellCall } from '../../faces/cli/land-command.ts'

/** Lists that let user 1 in and keep the group out; the mode shows the limit of the list as rights of the group. */
const LIST = '0200000001000700ffffffff020007000100000004000000ffffffff10000700ffffffff20000000ffffffff'
const ATTRIBUTES = {
  'system.posix_acl_access': Buffer.from(LIST, 'hex').toString('latin1'),
  'system.posix_acl_default': Buffer.from(LIST, 'hex').toString('latin1'),
  'user.note': 'by hand\0\n',
}
const MODE = 0o770

function attribute(folder: string, attributes: Readonly<Record<string, string>> = ATTRIBUTES): void {
  const input = writeArchive({
    mode: MODE,
    uid: process.geteuid?.() ?? 0,
    gid: process.getegid?.() ?? 0,
    attributes: new Map(
      Object.entries(attributes).map(([name, value]) => [name, Buffer.from(value, 'latin1')]),
    ),
  })
  const args = ['-xp', '--xattrs', '--xattrs-include=*', '-f', '-']
  expect(spawnSync('tar', args, { cwd: folder, input }).status).toBe(0)
}

/** Mode and attributes, as the system's own archiver says. */
function describeFolder(folder: string) {
  const args = ['-cP', '--no-recursion', '--format=posix', '--xattrs', '--xattrs-include=*', folder]
  const found = readFirstAttributes(spawnSync('tar', args).stdout)
  const attributes = [...found].map(([name, value]) => [name, Buffer.from(value).toString('latin1')])
  return { mode: statSync(folder).mode & 0o7777, attributes: Object.fromEntries(attributes) }
}

const WHOLE = { mode: MODE, attributes: ATTRIBUTES }
const FILES = { 'private/in/s.txt': 'salaries\n' }
const FOLDERS = ['', '/in', '/empty']

function fill(root: string): void {
  mkdirSync(join(root, 'private/empty'))
  // The outer one last, as what is made in it would inherit from it.
  for (const name of FOLDERS.toReversed()) attribute(join(root, `private${name}`))
}

const expectWhole = (root: string, top: string): void =>
  expect(FOLDERS.map((name) => describeFolder(join(root, top + name)))).toEqual([WHOLE, WHOLE, WHOLE])

describe('attributes and access lists of folders', () => {
  it.for([
    ['delete_path', { path: 'private' }, null],
    ['move_path', { from: 'private', to: 'moved' }, 'moved'],
    ['run_shell', { cmd: ['rm', '-r', 'private'] }, null],
    ['run_shell', { cmd: ['mv', 'private', 'moved'] }, 'moved'],
  ] as const)('survive %s %j, undo and redo', async ([name, args, goal]) => {
    const b = bench(FILES)
    fill(b.root)
    expectWhole(b.root, 'private')
    const runtime = await b.open({ approve: (asked) => asked.map(() => 'once' as const) })
    const [result] = await runtime.run([{ id: 'c', name, args }])
    outputOf(result)
    if (goal !== null) expectWhole(b.root, goal)
    for (const word of ['undo', 'redo', 'undo'] as const) {
      expect(await runtime[word]()).toMatchObject({ ok: true })
      const top = word === 'undo' ? 'private' : goal
      if (top !== null) expectWhole(b.root, top)
    }
  })

  it('do not come to a folder that stays, so that undo need not remove them', async () => {
    const b = bench({ ...FILES, 'from/f.txt': 'f\n', 'stays/f.txt': 'f\n' })
    fill(b.root)
    // A command may name only users that its namespace knows.
    const own = Buffer.from(LIST, 'hex')
    own.writeUInt32LE(process.geteuid?.() ?? 0, 16)
    const list = own.toString('latin1')
    attribute(join(b.root, 'from'), { 'system.posix_acl_access': list, 'user.note': 'new' })
    chmodSync(join(b.root, 'stays'), 0o705)
    const runtime = await b.open({ approve: (asked) => asked.map(() => 'once' as const) })
    const cmd = ['sh', '-c', 'cp -aT from stays; chmod o+rx private/empty']
    outputOf((await runtime.run([{ id: 'c', name: 'run_shell', args: { cmd } }]))[0])
    const there = () => ['stays', 'private/empty'].map((name) => describeFolder(join(b.root, name)))
    expect(there().map(({ mode, attributes }) => [mode, Object.keys(attributes)])).toEqual([
      [0o700, []],
      [0o775, Object.keys(ATTRIBUTES)],
    ])
    expect(await runtime.undo()).toMatchObject({ ok: true })
    expect(there()).toEqual([{ mode: 0o705, attributes: {} }, WHOLE])
  })

  const shop = useShops()

  it('survive a landing that waits for an answer', async () => {
    const s = shop(FILES)
    fill(s.root)
    expect((await s.batch([shellCall('mv private moved')])).code).toBe(4)
    expect((await s.tongs(['audit', 'verify'])).code).toBe(0)
    expect((await s.tongs(['approve', 'all', '--json'])).code).toBe(0)
    expectWhole(s.root, 'moved')
    expect((await s.tongs(['undo', '--yes', '--session', 'cli'])).code).toBe(0)
    expectWhole(s.root, 'private')
    expect((await s.tongs(['audit', 'verify'])).code).toBe(0)
  })
})
