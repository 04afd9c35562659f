import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { errorOf } from '../../bench-folder.ts'
import { editBench } from './edit-bench.ts'
import type { EditBench } from './edit-bench.ts'

const TEXT = 'alpha one\nbeta\nalpha two\r\ngamma\n'

/** A bench in which a search has shown lines 1 and 3. */
async function searched(config: JsonObject = {}): Promise<EditBench> {
  const b = await editBench({ 'a.txt': TEXT }, { config })
  expect((await b.run('search', { query: 'alpha' })).ok).toBe(true)
  return b
}

const region = (line: number, end = line) => ({
  path: 'a.txt',
  start_line: line,
  end_line: end,
  new_content: 'new',
})

describe('lines that a search showed', () => {
  it.each([
    ['edit_file', { path: 'a.txt', old: 'two', new: '2' }],
    ['edit_file', { path: 'a.txt', old: 'alpha', new: 'A', all: true }],
    ['edit_region', region(3)],
    ['multi_edit', { edits: [region(1), region(3)] }],
  ])('count as read for %s on those very lines: %j', async (name, args) => {
    expect((await (await searched()).run(name, args)).ok).toBe(true)
  })

  it.each([
    ['edit_file', { path: 'a.txt', old: 'beta', new: 'B' }],
    ['edit_file', { path: 'a.txt', old: 'one\nbeta', new: 'B' }],
    ['edit_file', { path: 'a.txt', old: 'ta\nalpha', new: 'B' }],
    ['edit_region', region(2)],
    ['edit_region', region(1, 2)],
    ['multi_edit', { edits: [region(1), region(2)] }],
    ['write_file', { path: 'a.txt', content: 'x' }],
    ['apply_patch', { patch: 'LP1\nF a.txt\nR\nbeta\n.\nB\n.\nEND\n' }],
    ['apply_patch', { patch: 'LP1\nF a.txt\nR\nalpha one\n.\nB\n.\nEND\n' }],
  ])('do not for others, or for %s: %j', async (name, args) => {
    const b = await searched()
    expect(errorOf(await b.run(name, args)).code).toBe('stale_file')
    expect(b.raw('a.txt')).toBe(TEXT)
  })

  it('and those around them, if they were asked for, unless they were cut', async () => {
    const b = await editBench({ 'a.txt': TEXT, 'long.txt': `alpha\n${'x'.repeat(3_000)}\n` })
    await b.run('search', { query: 'alpha', include_context: 1 })
    expect((await b.run('edit_region', region(1, 4))).ok).toBe(true)
    const cut = { ...region(2), path: 'long.txt' }
    expect(errorOf(await b.run('edit_region', cut)).code).toBe('stale_file')
  })

  it('are compared as text: a change elsewhere does not matter, one in them does', async () => {
    const b = await searched()
    b.put('a.txt', TEXT.replace('beta', 'BETA'))
    expect((await b.run('edit_region', region(1))).ok).toBe(true)
    const other = await searched()
    other.put('a.txt', TEXT.replace('two', 'TWO'))
    expect(errorOf(await other.run('edit_region', region(3))).code).toBe('stale_file')
    const moved = await searched()
    moved.put('a.txt', `new first line\n${TEXT}`)
    expect(errorOf(await moved.run('edit_region', region(3))).code).toBe('stale_file')
  })

  it('do not make the rest of the file known after an edit of them', async () => {
    const b = await searched()
    expect((await b.run('edit_region', region(1))).ok).toBe(true)
    expect(errorOf(await b.run('edit_region', region(2))).code).toBe('stale_file')
    expect(errorOf(await b.run('write_file', { path: 'a.txt', content: 'x' })).code).toBe('stale_file')
  })

  it('do not vouch for a file that was read and has changed since', async () => {
    const b = await editBench({ 'a.txt': TEXT })
    await b.see('a.txt')
    b.put('a.txt', TEXT.replace('gamma', 'GAMMA'))
    await b.run('search', { query: 'alpha' })
    expect((await b.run('edit_region', region(1))).ok).toBe(true)
    expect(errorOf(await b.run('edit_region', region(4))).code).toBe('stale_file')
  })

  it('say nothing about a line that was cut, or about another session', async () => {
    const long = `needle ${'x'.repeat(2_000)}`
    const b = await editBench({ 'a.txt': `${long}\n` })
    await b.run('search', { query: 'needle' })
    expect(errorOf(await b.run('edit_region', region(1))).code).toBe('stale_file')
    const own = await searched()
    expect(errorOf(await own.run('edit_region', region(1), { session: 'other' })).code).toBe('stale_file')
  })

  it('do not count under strict', async () => {
    const b = await searched({ 'tools.search.counts_as_read': false })
    expect(errorOf(await b.run('edit_region', region(1))).code).toBe('stale_file')
  })
})
