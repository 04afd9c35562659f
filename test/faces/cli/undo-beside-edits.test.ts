import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RevertReport } from '../../../src/pipeline/after/revert.ts'
import { makeScratch } from '../../harness/scratch.ts'
import { useShops } from './command-line.ts'
import type { Shop } from './command-line.ts'
import { shellCall } from './land-command.ts'

const shop = useShops()
const TEN = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10']
const lines = (list: readonly string[], eol = '\n'): string => list.map((line) => line + eol).join('')
const changed = (index: number, word: string, list: readonly string[] = TEN) => list.with(index, word)

/** The agent changes one line of each file in one batch. */
async function edit(s: Shop, edits: Readonly<Record<string, readonly [string, string]>>, session = 's') {
  const calls = Object.entries(edits).flatMap(([path, [old, text]]) => [
    { id: `r-${path}`, name: 'read_file', args: { path } },
    { id: `e-${path}`, name: 'edit_file', args: { path, old, new: text } },
  ])
  const done = await s.batch(calls, '--yes', '--session', session)
  expect(done.rows.map(({ ok }) => ok)).toEqual(calls.map(() => true))
}

async function revert(
  s: Shop,
  ...words: readonly string[]
): Promise<RevertReport & { readonly code: number | null }> {
  const { out, code } = await s.tongs([...words, '--json', '--yes'])
  return { ...(JSON.parse(out) as RevertReport), code }
}

describe('undo where a file was changed since', () => {
  it('touches nothing by default, names the file, and says both ways on', async () => {
    const s = shop({ 'a.txt': lines(TEN), 'b.txt': lines(TEN) })
    await edit(s, { 'a.txt': ['2\n', 'two\n'], 'b.txt': ['2\n', 'two\n'] })
    s.put('a.txt', lines(changed(8, 'nine', changed(1, 'two'))))
    const refused = await s.tongs(['undo', '--turn', '--yes'])
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('Changed since: a.txt.')])
    expect(refused.err).toMatch(/--merge.*--except FILE/)
    expect(s.get('b.txt')).toBe(lines(changed(1, 'two')))
  })

  it('--merge takes back the lines of the calls and keeps those of the person; redo brings exactly that back', async () => {
    const s = shop({ 'a.txt': lines(TEN), 'b.txt': lines(TEN) })
    await edit(s, { 'a.txt': ['2\n', 'two\n'], 'b.txt': ['2\n', 'two\n'] })
    const person = lines(changed(8, 'nine', changed(1, 'two')))
    s.put('a.txt', person)
    const shown = await s.tongs(['undo', '--turn', '--merge', '--dry-run'])
    expect(shown.out).toMatch(/would be merged: a\.txt[\s\S]*^-two$[\s\S]*^\+2$/m)
    expect(s.get('a.txt')).toBe(person)
    expect(await revert(s, 'undo', '--turn', '--merge')).toMatchObject({
      ok: true,
      session: 's',
      files: [
        { path: 'b.txt', action: 'restored' },
        { path: 'a.txt', action: 'merged' },
      ],
      drifted: [],
      code: 0,
    })
    expect(s.get('a.txt')).toBe(lines(changed(8, 'nine')))
    expect(s.get('b.txt')).toBe(lines(TEN))
    expect(await revert(s, 'undo')).toMatchObject({ ok: false })
    expect(await revert(s, 'redo')).toMatchObject({ ok: true, files: [{ path: 'b.txt' }, { path: 'a.txt' }] })
    expect([s.get('a.txt'), s.get('b.txt')]).toEqual([person, lines(changed(1, 'two'))])
  })

  it('takes an older call out from under newer ones, and edits of a person between two calls stay', async () => {
    const s = shop({ 'a.txt': lines(TEN) })
    await edit(s, { 'a.txt': ['2\n', 'two\n'] })
    s.put('a.txt', lines(changed(4, 'five', changed(1, 'two'))))
    await edit(s, { 'a.txt': ['9\n', 'nine\n'] })
    const refused = await revert(s, 'undo', '--last', '2')
    expect([refused.ok, refused.drifted]).toEqual([false, ['a.txt']])
    expect(await revert(s, 'undo', '--last', '2', '--merge')).toMatchObject({ ok: true })
    expect(s.get('a.txt')).toBe(lines(changed(4, 'five')))
  })

  it('refuses a conflict by name and touches nothing; --except leaves that file, whose change stays undoable', async () => {
    const s = shop({ 'a.txt': lines(TEN), 'b.txt': lines(TEN) })
    await edit(s, { 'a.txt': ['2\n', 'two\n'], 'b.txt': ['2\n', 'two\n'] })
    s.put('a.txt', lines(changed(1, 'zwei')))
    const refused = await revert(s, 'undo', '--turn', '--merge')
    expect(refused).toMatchObject({ ok: false, files: [], drifted: ['a.txt'], code: 1 })
    expect(refused.message).toContain('Cannot merge a.txt: both changed line 2')
    expect([s.get('a.txt'), s.get('b.txt')]).toEqual([lines(changed(1, 'zwei')), lines(changed(1, 'two'))])
    expect(await revert(s, 'undo', '--turn', '--except', './a.txt')).toMatchObject({
      ok: true,
      files: [{ path: 'b.txt', action: 'restored' }],
    })
    s.put('a.txt', lines(changed(1, 'two')))
    expect(await revert(s, 'undo', '--turn')).toMatchObject({ ok: true, files: [{ path: 'a.txt' }] })
    expect([s.get('a.txt'), s.get('b.txt')]).toEqual([lines(TEN), lines(TEN)])
    // Each redo takes back one undo.
    expect(await revert(s, 'redo')).toMatchObject({ ok: true, files: [{ path: 'a.txt' }] })
    expect(await revert(s, 'undo', '--turn')).toMatchObject({ ok: true, files: [{ path: 'a.txt' }] })
  })

  it('tells files of two roots with one path apart: a conflict in one refuses all of it, by its whole path', async () => {
    const s = shop({ 'a.txt': lines(TEN) })
    const other = makeScratch().at('other')
    mkdirSync(other)
    const second = join(other, 'a.txt')
    writeFileSync(second, lines(TEN))
    const roots = ['--set', `tools.sandbox.allowed_roots=${JSON.stringify(['.', other])}`]
    const calls = ['a.txt', second].flatMap((path) => [
      { id: `r-${path}`, name: 'read_file', args: { path } },
      { id: `e-${path}`, name: 'edit_file', args: { path, old: '2\n', new: 'two\n' } },
    ])
    await s.batch(calls, '--yes', '--session', 's', ...roots)
    const markdown = await s.tongs(['log', '--markdown', ...roots])
    expect(markdown.out).toContain(second)
    const person = lines(changed(8, 'nine', changed(1, 'two')))
    const conflict = lines(changed(1, 'two by me'))
    s.put('a.txt', person)
    writeFileSync(second, conflict)
    const refused = await revert(s, 'undo', '--turn', '--merge', ...roots)
    expect(refused).toMatchObject({ ok: false, files: [], drifted: [second], code: 1 })
    expect(refused.message).toContain(`Cannot merge ${second}`)
    expect([s.get('a.txt'), readFileSync(second, 'utf8')]).toEqual([person, conflict])
    // Control: without the conflict, both are merged.
    writeFileSync(second, person)
    const merged = await revert(s, 'undo', '--turn', '--merge', ...roots)
    expect(merged.files.map(({ path, action }) => `${action} ${path}`).toSorted()).toEqual([
      `merged ${second}`,
      'merged a.txt',
    ])
    expect(readFileSync(second, 'utf8')).toBe(lines(changed(8, 'nine')))
  })

  it('--merge that finds nothing of the calls left in the files says so, and records no undo', async () => {
    const s = shop({ 'a.txt': lines(TEN) })
    await edit(s, { 'a.txt': ['2\n', 'two\n'] })
    s.put('a.txt', lines(changed(8, 'nine')))
    const nothing = await revert(s, 'undo', '--turn', '--merge')
    expect(nothing).toMatchObject({ ok: false, calls: [], files: [], code: 1 })
    expect(nothing.message).toMatch(/nothing of what these calls changed is left/)
    expect((await s.tongs(['log'])).out).not.toMatch(/ undo /)
    // Control: it can still be undone when its lines are there.
    s.put('a.txt', lines(changed(1, 'two')))
    expect(await revert(s, 'undo', '--turn')).toMatchObject({ ok: true, code: 0 })
    expect((await s.tongs(['log'])).out).toMatch(/ undo /)
  })

  it('--except takes several files, and refuses one that the calls did not change', async () => {
    const s = shop({ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
    await edit(s, { 'a.txt': ['a', 'A'], 'b.txt': ['b', 'B'], 'c.txt': ['c', 'C'] })
    const unknown = await revert(s, 'undo', '--turn', '--except', 'a.txt', 'other.txt')
    expect([unknown.ok, unknown.message]).toEqual([false, expect.stringContaining('other.txt')])
    expect(await revert(s, 'undo', '--turn', '--except', 'a.txt', 'b.txt')).toMatchObject({
      ok: true,
      files: [{ path: 'c.txt' }],
    })
    expect(['a.txt', 'b.txt', 'c.txt'].map(s.get)).toEqual(['A\n', 'B\n', 'c\n'])
    const all = await revert(s, 'undo', '--turn', '--except', 'a.txt', 'b.txt')
    expect([all.ok, all.message]).toEqual([false, expect.stringContaining('every file')])
  })

  it('merges CRLF and a missing final newline byte for byte, and a mode that a person changed stays', async () => {
    const ten = lines(TEN, '\r\n')
    const s = shop({ 'crlf.txt': ten, 'open.txt': lines(TEN).trimEnd() })
    await edit(s, { 'crlf.txt': ['2\r\n', 'two\r\n'], 'open.txt': ['2\n', 'two\n'] })
    s.put('crlf.txt', lines(changed(8, 'nine', changed(1, 'two')), '\r\n'))
    s.put('open.txt', lines(changed(9, 'ten', changed(1, 'two'))).trimEnd())
    chmodSync(join(s.root, 'open.txt'), 0o755)
    expect(await revert(s, 'undo', '--turn', '--merge')).toMatchObject({ ok: true })
    expect(s.get('crlf.txt')).toBe(lines(changed(8, 'nine'), '\r\n'))
    expect(s.get('open.txt')).toBe(lines(changed(9, 'ten')).trimEnd())
    expect(statSync(join(s.root, 'open.txt')).mode & 0o777).toBe(0o755)
  })

  it('does not give a setuid bit back to lines of a person that never had it', async () => {
    const s = shop({ 'a.txt': lines(TEN) })
    const path = join(s.root, 'a.txt')
    chmodSync(path, 0o4755)
    await edit(s, { 'a.txt': ['2\n', 'two\n'] })
    expect(statSync(path).mode & 0o7777).toBe(0o755)
    s.put('a.txt', lines(changed(8, 'nine', changed(1, 'two'))))
    expect(await revert(s, 'undo', '--merge')).toMatchObject({ ok: true })
    expect(s.get('a.txt')).toBe(lines(changed(8, 'nine')))
    expect(statSync(path).mode & 0o7777).toBe(0o755)
  })

  it('refuses to merge binary files, and files that the call created or that are gone, each by name', async () => {
    const s = shop({ 'a.txt': lines(TEN), 'gone.txt': lines(TEN) })
    await edit(s, { 'a.txt': ['2\n', 'two\n'], 'gone.txt': ['2\n', 'two\n'] })
    await s.batch(
      [{ id: 'w', name: 'write_file', args: { path: 'new.txt', content: 'new\n' } }],
      '--yes',
      '--session',
      's',
    )
    writeFileSync(join(s.root, 'a.txt'), Buffer.from([0, 1, 2]))
    s.put('new.txt', 'new\nand mine\n')
    await s.tongs(['call', 'delete_path', '{"path":"gone.txt"}', '--yes', '--session', 'other'])
    const refused = await revert(s, 'undo', '--last', '3', '--merge', '--session', 's')
    expect(refused.ok).toBe(false)
    expect(refused.message).toMatch(/a\.txt: it is a binary file/)
    expect(refused.message).toMatch(/new\.txt: the call created it/)
    expect(refused.message).toMatch(/gone\.txt: it was removed/)
    expect(s.get('new.txt')).toBe('new\nand mine\n')
  })

  it('takes back what a command changed beside a person in the same way, and redo too', async () => {
    const s = shop({ 'a.txt': lines(TEN), 'b.txt': 'b\n' })
    const ran = await s.batch(
      [shellCall("sed -i 's/^2$/two/' a.txt; echo more >> b.txt; echo x > made.txt")],
      '--yes',
      '--session',
      's',
    )
    expect(ran.rows[0]).toMatchObject({ ok: true, result: { changes: expect.any(Array) } })
    const person = lines(changed(8, 'nine', changed(1, 'two')))
    s.put('a.txt', person)
    expect(await revert(s, 'undo')).toMatchObject({ ok: false, drifted: ['a.txt'] })
    expect(await revert(s, 'undo', '--merge')).toMatchObject({ ok: true })
    expect(['a.txt', 'b.txt', 'made.txt'].map(s.get)).toEqual([lines(changed(8, 'nine')), 'b\n', null])
    expect(await revert(s, 'redo')).toMatchObject({ ok: true })
    expect(['a.txt', 'b.txt', 'made.txt'].map(s.get)).toEqual([person, 'b\nmore\n', 'x\n'])
    expect(await revert(s, 'undo', '--except', 'a.txt', 'made.txt')).toMatchObject({ ok: true })
    expect(['a.txt', 'b.txt', 'made.txt'].map(s.get)).toEqual([person, 'b\n', 'x\n'])
    expect((await s.tongs(['audit', 'verify'])).code).toBe(0)
  })
})

describe('undo without a session', () => {
  it('finds the session with the newest change to take back, and names it; redo the newest undo', async () => {
    const s = shop({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    await edit(s, { 'a.txt': ['a', 'A'] }, 'one')
    await edit(s, { 'b.txt': ['b', 'B'] }, 'two')
    await s.tongs(['call', 'read_file', '{"path":"a.txt"}', '--session', 'three'])
    expect(await revert(s, 'undo')).toMatchObject({ ok: true, session: 'two' })
    expect(await revert(s, 'undo')).toMatchObject({ ok: true, session: 'one' })
    expect(await revert(s, 'undo')).toMatchObject({ ok: false })
    expect(await revert(s, 'redo')).toMatchObject({ ok: true, session: 'one' })
    expect(await revert(s, 'redo')).toMatchObject({ ok: true, session: 'two' })
    expect(['a.txt', 'b.txt'].map(s.get)).toEqual(['A\n', 'B\n'])
    expect((await s.tongs(['undo', '--json', '--session', 'three'])).code).toBe(1)
  })

  it('finds the session of a call that is named', async () => {
    const s = shop({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    await edit(s, { 'a.txt': ['a', 'A'] }, 'one')
    await edit(s, { 'b.txt': ['b', 'B'] }, 'two')
    const { out } = await s.tongs(['log', '--session', 'one', '--json'])
    const settled = out
      .split('\n')
      .flatMap((line) =>
        line.includes('"name":"edit_file"') && line.includes('"kind":"settled"')
          ? [JSON.parse(line) as { execution: string }]
          : [],
      )
    expect(await revert(s, 'undo', settled[0]?.execution ?? '')).toMatchObject({ ok: true, session: 'one' })
    expect(['a.txt', 'b.txt'].map(s.get)).toEqual(['a\n', 'B\n'])
  })
})

describe('undo in a folder that was renamed', () => {
  it('goes on with what was left, and knows its sessions', async () => {
    const s = shop({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    await edit(s, { 'a.txt': ['a', 'A'], 'b.txt': ['b', 'B'] })
    expect(await revert(s, 'undo', '--turn', '--except', 'a.txt')).toMatchObject({ ok: true })
    const moved = `${s.root}-moved`
    renameSync(s.root, moved)
    const there = ['--root', moved]
    expect((await s.tongs(['adopt', s.root, ...there])).code).toBe(0)
    const { out } = await s.tongs(['sessions', '--json', ...there])
    expect(JSON.parse(out)).toMatchObject({ sessions: [{ name: 's', calls: 4 }] })
    expect(await revert(s, 'undo', '--turn', ...there)).toMatchObject({
      ok: true,
      session: 's',
      files: [{ path: 'a.txt', action: 'restored' }],
    })
    expect(readFileSync(join(moved, 'a.txt'), 'utf8')).toBe('a\n')
    expect(await revert(s, 'redo', ...there)).toMatchObject({ ok: true, files: [{ path: 'a.txt' }] })
  })
})
