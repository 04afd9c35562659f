import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { setFolderAttributes } from '../../../src/host/fs/attributes.ts'
import { bench } from '../../bench-folder.ts'
import { settableClock } from '../../pipeline/approve/waiting-bench.ts'

const agreed = { approve: (requests: readonly unknown[]) => requests.map(() => 'once' as const) }
const PATCH = 'LP1\nF a.txt\nR\na\n.\nA\n.\nF b.txt\nR\nb\n.\nB\n.\nF new/c.txt\nT\nc\n.\nEND\n'

async function patched() {
  const b = bench({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'other.txt': 'o\n' })
  const runtime = await b.open(agreed)
  const reads = ['a.txt', 'b.txt'].map((path) => ({ id: path, name: 'read_file', args: { path } }))
  await runtime.run([...reads, { id: 'p', name: 'apply_patch', args: { patch: PATCH } }], { session: 's' })
  const get = (name: string): string | null => {
    const path = join(b.root, name)
    return existsSync(path) ? readFileSync(path, 'utf8') : null
  }
  expect(['a.txt', 'b.txt', 'new/c.txt'].map(get)).toEqual(['A\n', 'B\n', 'c\n'])
  return { b, runtime, get }
}

describe('undo', () => {
  it('lists exactly its files first, takes back all of them and no other, and can be undone itself', async () => {
    const { b, runtime, get } = await patched()
    b.put('other.txt', 'changed by somebody else\n')
    const files = [
      { path: 'a.txt', action: 'restored' },
      { path: 'b.txt', action: 'restored' },
      { path: 'new/c.txt', action: 'removed' },
    ]
    expect(await runtime.undo({ session: 's', dryRun: true })).toMatchObject({ ok: true, files })
    expect(get('a.txt')).toBe('A\n')
    expect(await runtime.undo({ session: 's' })).toMatchObject({ ok: true, files })
    expect(['a.txt', 'b.txt', 'new/c.txt', 'new'].map(get)).toEqual(['a\n', 'b\n', null, null])
    expect(get('other.txt')).toBe('changed by somebody else\n')
    expect(await runtime.redo({ session: 's' })).toMatchObject({ ok: true })
    expect(['a.txt', 'b.txt', 'new/c.txt'].map(get)).toEqual(['A\n', 'B\n', 'c\n'])
  })

  it('keeps what it takes away although the call was forgotten, so that redo brings it back and the log verifies', async () => {
    const b = bench()
    const runtime = await b.open({ ...agreed, durability: 'full' })
    const call = { id: 'w', name: 'write_file', args: { path: 'a.txt', content: 'the only copy\n' } }
    await runtime.run([call], { session: 's' })
    expect(await runtime.forget({ session: 's' })).toMatchObject({ ok: true })
    expect(await runtime.undo({ session: 's' })).toMatchObject({ ok: true })
    expect(existsSync(join(b.root, 'a.txt'))).toBe(false)
    expect(await runtime.redo({ session: 's' })).toMatchObject({ ok: true })
    expect(readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('the only copy\n')
    expect(await runtime.verify()).toMatchObject({ ok: true })
    await runtime.close()
  })

  it.each([
    ['commands that changed a text', ['echo two >>a.txt', 'echo three >>a.txt']],
    ['a command that removed an empty folder with attributes', ['rmdir d']],
  ])('of %s leaves a log that verifies, although the last of them was forgotten', async (_, lines) => {
    const b = bench({ 'a.txt': 'one\n' })
    mkdirSync(join(b.root, 'd'))
    const { uid, gid } = statSync(join(b.root, 'd'))
    const attributes = new Map([['user.x', Buffer.from('y')]])
    expect(setFolderAttributes(join(b.root, 'd'), { mode: 0o775, uid, gid, attributes })).toBe(true)
    const runtime = await b.open({ ...agreed, durability: 'full' })
    const calls: string[] = []
    for (const line of lines) {
      const [result] = await runtime.run(
        [{ id: line, name: 'run_shell', args: { cmd: ['sh', '-c', line] } }],
        {
          session: 's',
        },
      )
      calls.push(result?.execution.id ?? '')
    }
    expect(await runtime.forget({ call: calls.at(-1) ?? '' })).toMatchObject({ ok: true })
    expect(await runtime.undo({ session: 's', last: lines.length })).toMatchObject({ ok: true })
    expect(await runtime.verify()).toMatchObject({ ok: true })
    expect(readFileSync(join(b.root, 'a.txt'), 'utf8')).toBe('one\n')
    // It may have had an access list, of which nothing is known any more.
    expect(statSync(join(b.root, 'd')).mode & 0o777).toBe(lines.length === 1 ? 0o705 : 0o775)
    expect(await runtime.redo({ session: 's' })).toMatchObject({ ok: true })
    expect(await runtime.verify()).toMatchObject({ ok: true })
    await runtime.close()
  })

  it('keeps no content of a call that is forgotten after it', async () => {
    const { runtime } = await patched()
    const [call = ''] = (await runtime.undo({ session: 's' })).calls
    expect(await runtime.forget({ call })).toMatchObject({ ok: true })
    expect(await runtime.redo({ session: 's' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('was erased from the journal'),
    })
    expect(await runtime.verify()).toMatchObject({ ok: true })
    await runtime.close()
  })

  it.each(['undo', 'redo'] as const)('a dry run of %s says that what it needs was forgotten', async (way) => {
    const { runtime } = await patched()
    const { calls } = await runtime.undo({ session: 's', dryRun: way === 'undo' })
    expect(await runtime.forget({ call: calls[0] ?? '' })).toMatchObject({ ok: true })
    const dry = await runtime[way]({ session: 's', dryRun: true })
    expect(dry).toMatchObject({ ok: false, files: [], message: expect.stringContaining('was erased') })
    expect(await runtime[way]({ session: 's' })).toEqual(dry)
    await runtime.close()
  })

  it('without a session takes back what was changed last, whatever the clock said', async () => {
    const b = bench()
    const clock = settableClock()
    const runtime = await b.open({ ...agreed, clock, durability: 'normal' })
    const write = async (hours: number, session: string, path: string) => {
      clock.aheadMs = hours * 3_600_000
      await runtime.run([{ id: path, name: 'write_file', args: { path, content: 'x\n' } }], { session })
    }
    await write(2, 'A', 'a1')
    await write(0, 'B', 'b1')
    await write(0, 'A', 'a2')
    await write(-1, 'C', 'c1')
    clock.aheadMs = 0
    const gone: string[] = []
    for (let left = 4; left > 0; left--) {
      const { files } = await runtime.undo()
      gone.push(...files.map(({ path }) => path))
    }
    expect(gone).toEqual(['c1', 'a2', 'b1', 'a1'])
    const back: string[] = []
    for (let left = 4; left > 0; left--) back.push(...(await runtime.redo()).files.map(({ path }) => path))
    expect(back).toEqual(['a1', 'b1', 'a2', 'c1'])
  })

  it('of contents that were erased changes nothing, and claims nothing', async () => {
    const { runtime, get } = await patched()
    expect(await runtime.forget({ session: 's' })).toMatchObject({ ok: true })
    const undone = await runtime.undo({ session: 's' })
    expect(undone).toMatchObject({ ok: false, files: [] })
    expect(undone.message).toContain('was erased')
    expect(['a.txt', 'b.txt', 'new/c.txt'].map(get)).toEqual(['A\n', 'B\n', 'c\n'])
  })

  it('takes a call by a beginning of its id that no other call of the session has', async () => {
    const b = bench()
    const runtime = await b.open(agreed)
    const results = await runtime.run(
      ['x', 'y'].map((path) => ({ id: path, name: 'write_file', args: { path, content: path } })),
      { session: 's' },
    )
    const [x = '', y = ''] = results.map(({ execution }) => execution.id)
    const shared = [...x].findIndex((char, at) => char !== y[at])
    const both = await runtime.undo({ session: 's', calls: [x.slice(0, shared)] })
    expect(both).toMatchObject({ ok: false, message: expect.stringContaining(x) })
    expect(await runtime.undo({ session: 's', calls: [x.slice(0, shared + 1)] })).toMatchObject({
      ok: true,
      calls: [x],
      files: [{ path: 'x', action: 'removed' }],
    })
  })

  it('takes no call by a beginning that calls of two sessions have, unless the session is named', async () => {
    const b = bench()
    const runtime = await b.open(agreed)
    const ids: string[] = []
    for (const session of ['x', 'y']) {
      const call = { id: session, name: 'write_file', args: { path: session, content: session } }
      const [written] = await runtime.run([call], { session })
      ids.push(written?.execution.id ?? '')
    }
    const [x = '', y = ''] = ids
    const calls = [
      x.slice(
        0,
        [...x].findIndex((char, at) => char !== y[at]),
      ),
    ]
    for (const dryRun of [true, false]) {
      const report = await runtime.undo({ calls, dryRun })
      expect(report).toMatchObject({ ok: false, calls: [], files: [] })
      for (const id of ids) expect(report.message).toContain(id)
    }
    expect(['x', 'y'].map((name) => existsSync(join(b.root, name)))).toEqual([true, true])
    expect(await runtime.undo({ calls, session: 'y' })).toMatchObject({ ok: true, calls: [y] })
    expect(['x', 'y'].map((name) => existsSync(join(b.root, name)))).toEqual([true, false])
  })

  it('takes no call for an empty word, although every call begins with it', async () => {
    const { runtime, get } = await patched()
    for (const session of [undefined, 's'])
      expect(
        await runtime.undo({ calls: [''], ...(session === undefined ? {} : { session }) }),
      ).toMatchObject({
        ok: false,
      })
    expect(get('a.txt')).toBe('A\n')
    expect(runtime.why('')).toEqual([])
  })

  it('is no call that a gate has judged, so there is nothing to say why', async () => {
    const { runtime } = await patched()
    expect(await runtime.undo({ session: 's' })).toMatchObject({ ok: true })
    const [undone] = [...runtime.log({ session: 's' })].flatMap(({ entry }) =>
      entry.kind === 'undo' ? [entry.execution] : [],
    )
    expect(runtime.why(undone ?? 'none')).toEqual([])
  })

  it('one file that has changed since stops all of it, by name', async () => {
    const { b, runtime, get } = await patched()
    b.put('b.txt', 'mine now\n')
    expect(await runtime.undo({ session: 's' })).toMatchObject({ ok: false, drifted: ['b.txt'] })
    expect(['a.txt', 'b.txt', 'new/c.txt'].map(get)).toEqual(['A\n', 'mine now\n', 'c\n'])
  })
})
