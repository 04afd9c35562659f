import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { readFolderAttributes } from '../../../src/host/fs/attributes.ts'
import { accessBelow } from '../../../src/host/root/access-list.ts'
import { bench, outputOf } from '../../bench-folder.ts'
import { accessOf, listOf, OPEN, setDefaultList, SHARED } from '../../harness/access-lists.ts'
import { roundsOf } from '../../harness/long-run.ts'
import { NOBODY, ordinaryProgram } from '../../harness/ordinary-user.ts'
import { PATIENCE_MS } from '../../harness/patience.ts'
import { makeScratch } from '../../harness/scratch.ts'

const isLinux = process.platform === 'linux'
const approve = (asked: readonly unknown[]) => asked.map(() => 'once' as const)

describe.runIf(isLinux)('in a folder with a default access list', () => {
  it.for(['', 'off'])(
    'an edit leaves what the system would have made there (native code %s)',
    async (native) => {
      if (native !== '') vi.stubEnv('TONGS_NATIVE', native)
      onTestFinished(() => void vi.unstubAllEnvs())
      const b = bench({ 'd/theirs': 'x', 'e/moved': 'm', 'e/in/deep': 'd' })
      const at = (name: string) => join(b.root, name)
      setDefaultList(at('d'), SHARED)
      fs.writeFileSync(at('d/made'), 'x')
      fs.mkdirSync(at('d/new'))
      fs.writeFileSync(at('d/new/made'), 'x')
      const modes = ['e/moved', 'e/in', 'e/in/deep', 'd/theirs'].map((name) => accessOf(at(name)))
      const runtime = await b.open({ approve })
      const run = async (name: string, args: unknown) => {
        const [result] = await runtime.run([{ id: `c${Math.random()}`, name, args }])
        if (result === undefined) throw new Error('no result')
        return outputOf(result)
      }
      await run('write_file', { path: 'd/f', content: 'f\n' })
      await run('write_file', { path: 'd/new2/f', content: 'f\n' })
      expect(accessOf(at('d/f'))).toBe(accessOf(at('d/made')))
      expect(accessOf(at('d/new2'))).toBe(accessOf(at('d/new')))
      expect(accessOf(at('d/new2/f'))).toBe(accessOf(at('d/new/made')))
      // What was there keeps the access that it has, like what is moved there.
      await run('read_file', { path: 'd/theirs' })
      await run('write_file', { path: 'd/theirs', content: 'changed\n' })
      await run('move_path', { from: 'e/moved', to: 'd/moved' })
      await run('move_path', { from: 'e/in', to: 'd/in' })
      const moved = ['d/moved', 'd/in', 'd/in/deep', 'd/theirs']
      expect(moved.map((name) => accessOf(at(name)))).toEqual(modes)
      await run('delete_path', { path: 'd/f' })
      await runtime.undo({})
      expect(accessOf(at('d/f'))).toBe(accessOf(at('d/made')))
      for (let calls = 0; calls < 5; calls++) expect((await runtime.undo({})).ok).toBe(true)
      for (let calls = 0; calls < 5; calls++) expect((await runtime.redo()).ok).toBe(true)
      expect(accessOf(at('d/f'))).toBe(accessOf(at('d/made')))
      expect(moved.map((name) => accessOf(at(name)))).toEqual(modes)
    },
  )

  const MADE =
    'umask 022; echo x >f; mkdir in; echo x >in/f; echo x >d/f; cp d/theirs d/copied; echo x >>d/theirs'

  it('a command lands what it would have made there', async () => {
    const [plain, b] = [bench({ 'd/theirs': 'x' }), bench({ 'd/theirs': 'x' })]
    for (const { root } of [plain, b]) {
      setDefaultList(root, OPEN)
      setDefaultList(join(root, 'd'), SHARED)
    }
    execFileSync('sh', ['-c', MADE], { cwd: plain.root })
    outputOf(await b.call('run_shell', { cmd: ['sh', '-c', MADE] }, { approve }))
    const names = ['f', 'in', 'in/f', 'd/f', 'd/copied', 'd/theirs']
    const seen = ({ root }: typeof b) => names.map((name) => accessOf(join(root, name)))
    expect(seen(b)).toEqual(seen(plain))
  })

  it('a command makes nothing with the default list of the folder that layers lie in', async () => {
    const b = bench({ 'a.txt': 'x' })
    setDefaultList(b.top, SHARED)
    const before = accessOf(join(b.root, 'a.txt'))
    outputOf(
      await b.call('run_shell', { cmd: ['sh', '-c', 'umask 022; echo x >f; echo x >>a.txt'] }, { approve }),
    )
    expect([accessOf(join(b.root, 'f')), accessOf(join(b.root, 'a.txt'))]).toEqual([before, before])
  })

  const rights = fc.integer({ min: 0, max: 7 })
  const lists = fc
    .record({ owner: rights, ownGroup: rights, others: rights, mask: rights, user: rights, group: rights })
    .chain((all) =>
      fc.record({
        all: fc.constant(all),
        named: fc.subarray(['user', 'group'] as const),
        masked: fc.boolean(),
      }),
    )
    .map(({ all, named, masked }) =>
      listOf([
        ['owner', all.owner],
        ...(named.includes('user') ? ([['user', all.user, 1600]] as const) : []),
        ['ownGroup', all.ownGroup],
        ...(named.includes('group') ? ([['group', all.group, 1601]] as const) : []),
        ...(masked || named.length > 0 ? ([['mask', all.mask]] as const) : []),
        ['others', all.others],
      ]),
    )

  it('a new file has the access that the system gives it, whatever the list says', () => {
    const scratch = makeScratch()
    let count = 0
    fc.assert(
      fc.property(lists, fc.integer({ min: 0, max: 0o777 }), (list, mode) => {
        const folder = scratch.folder(`d${count++}`)
        setDefaultList(folder, list)
        fs.closeSync(fs.openSync(join(folder, 'f'), 'wx', mode))
        const [found] = readFolderAttributes(folder, [Buffer.from('f')]) ?? []
        const given = accessBelow(list, mode)
        expect(given.mode.toString(8)).toBe((fs.statSync(join(folder, 'f')).mode & 0o7777).toString(8))
        const own = found?.get('system.posix_acl_access')
        expect(given.list === null ? null : Buffer.from(given.list)).toEqual(own ?? null)
      }),
      { numRuns: roundsOf(30, 300) },
    )
  })
})

it.runIf(isLinux && process.getuid?.() === 0)(
  'in a setgid folder of a group that is not theirs, edits of an ordinary user leave the group of the folder',
  () => {
    const scratch = makeScratch()
    for (const folder of ['root', 'root/shared', 'state']) scratch.folder(folder)
    scratch.file('root/shared/theirs', 'old\n')
    for (const name of ['root', 'state']) fs.chownSync(scratch.at(name), NOBODY, NOBODY)
    for (const name of ['root/shared', 'root/shared/theirs']) fs.chownSync(scratch.at(name), NOBODY, 1777)
    fs.chmodSync(scratch.at('root/shared'), 0o2775)
    fs.chmodSync(scratch.at('root/shared/theirs'), 0o664)
    fs.chmodSync(scratch.path, 0o755)
    const [node, child] = ordinaryProgram(new URL('setgid-child.ts', import.meta.url))
    const env = { PATH: process.env['PATH'], HOME: scratch.path }
    const user = { uid: NOBODY, gid: NOBODY, cwd: '/', env }
    const out = execFileSync(node, [child, scratch.path], { ...user, encoding: 'utf8', timeout: PATIENCE_MS })
    expect(JSON.parse(out)).toEqual([true, true, true, true])
    const gidOf = (name: string) => fs.statSync(scratch.at(`root/shared/${name}`)).gid
    expect(['theirs', 'new', 'in', 'in/new'].map(gidOf)).toEqual([1777, 1777, 1777, 1777])
    expect(fs.statSync(scratch.at('root/shared/in')).mode & 0o2000).toBe(0o2000)
  },
)
