import { chmodSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf, outputOf } from '../../bench-folder.ts'
import { editBench } from './edit-bench.ts'

const asked = { approve: (requests: readonly unknown[]) => requests.map(() => 'once' as const) }

describe('edit_file', () => {
  it('replaces a text that stands once, and shows the diff', async () => {
    const b = await editBench({ 'f.ts': 'let a = 1\nlet b = 2\n' })
    await b.see('f.ts')
    expect(
      outputOf(await b.run('edit_file', { path: 'f.ts', old: 'a = 1\nlet b', new: 'a = 3\nlet c' })),
    ).toMatchObject({ replaced: 1, diff: expect.stringContaining('+let a = 3') })
    expect(b.raw('f.ts')).toBe('let a = 3\nlet c = 2\n')
  })

  it('a text that stands several times needs all, and its lines are named', async () => {
    const b = await editBench({ 'f.ts': 'x\ny\nx\n' })
    await b.see('f.ts')
    expect(errorOf(await b.run('edit_file', { path: 'f.ts', old: 'x', new: 'z' })).details).toMatchObject({
      found: 2,
      lines: [1, 3],
    })
    outputOf(await b.run('edit_file', { path: 'f.ts', old: 'x', new: 'z', all: true }))
    expect(b.raw('f.ts')).toBe('z\ny\nz\n')
  })

  it('a miss shows the nearest place', async () => {
    const b = await editBench({ 'f.ts': 'function add(a, b) {\n  return a + b\n}\n' })
    await b.see('f.ts')
    const error = errorOf(await b.run('edit_file', { path: 'f.ts', old: 'return  a +b', new: 'x' }))
    expect(error.details).toMatchObject({ nearest: { line: 2 } })
    expect(error.message).toContain('line 2')
  })

  it('a line that becomes several keeps the line endings of its file, unless the call writes them itself', async () => {
    const b = await editBench({ 'f.txt': 'one\r\ntwo\r\n' })
    await b.see('f.txt')
    await b.run('edit_file', { path: 'f.txt', old: 'one', new: '1\n1' })
    expect(b.raw('f.txt')).toBe('1\r\n1\r\ntwo\r\n')
    await b.run('edit_file', { path: 'f.txt', old: '1\r\n1', new: '1\n1' })
    expect(b.raw('f.txt')).toBe('1\n1\r\ntwo\r\n')
  })

  it('a text with LF is found in a file with CRLF, and the file keeps CRLF', async () => {
    const b = await editBench({ 'f.txt': 'a\r\nb\r\nc\r\n' })
    await b.see('f.txt')
    outputOf(await b.run('edit_file', { path: 'f.txt', old: 'a\nb', new: 'x\ny\nz' }))
    expect(b.raw('f.txt')).toBe('x\r\ny\r\nz\r\nc\r\n')
  })

  it('a file that was not read is refused, and so is a change that changes nothing', async () => {
    const b = await editBench({ 'f.txt': 'a\n' })
    expect(errorOf(await b.run('edit_file', { path: 'f.txt', old: 'a', new: 'b' })).code).toBe('stale_file')
    expect(errorOf(await b.run('edit_file', { path: 'f.txt', old: 'a', new: 'a' })).code).toBe('bad_args')
  })
})

describe('delete_path and move_path', () => {
  it('are asked about even where edits are approved beforehand', async () => {
    const b = await editBench({ 'f.txt': 'a\n' })
    expect(errorOf(await b.run('delete_path', { path: 'f.txt' })).code).toBe('approval_denied')
    expect(errorOf(await b.run('move_path', { from: 'f.txt', to: 'g.txt' })).code).toBe('approval_denied')
    expect(b.raw('f.txt')).toBe('a\n')
  })

  it('a file is deleted and brought back by undo, mode and all', async () => {
    const b = await editBench({ 'd/run.sh': 'echo\n' }, asked)
    chmodSync(join(b.root, 'd/run.sh'), 0o755)
    const before = b.tree()
    outputOf(await b.run('delete_path', { path: 'd/run.sh' }))
    expect(b.raw('d/run.sh')).toBeNull()
    expect((await b.runtime.undo()).files).toEqual([{ path: 'd/run.sh', action: 'recreated' }])
    expect(b.tree()).toEqual(before)
  })

  it('a folder goes with all that is in it, and comes back', async () => {
    const b = await editBench({ 'd/a.txt': 'a\n', 'd/e/b.txt': 'b\n', 'keep.txt': 'k\n' }, asked)
    const before = b.tree()
    expect(outputOf(await b.run('delete_path', { path: 'd' }))['files']).toEqual(['d/a.txt', 'd/e/b.txt'])
    expect(Object.keys(b.tree())).toEqual(['keep.txt'])
    await b.runtime.undo()
    expect(b.tree()).toEqual(before)
    await b.runtime.redo()
    expect(Object.keys(b.tree())).toEqual(['keep.txt'])
  })

  it('a move keeps bytes and mode, makes folders, and is undone whole', async () => {
    const b = await editBench({ 'a.sh': '#!/bin/sh\n' }, asked)
    chmodSync(join(b.root, 'a.sh'), 0o750)
    const before = b.tree()
    outputOf(await b.run('move_path', { from: 'a.sh', to: 'new/place/b.sh' }))
    expect(b.raw('a.sh')).toBeNull()
    expect(b.tree()['new/place/b.sh']).toBe(before['a.sh'])
    await b.runtime.undo()
    expect(b.tree()).toEqual(before)
  })

  it.each([
    ['delete_path', { path: 'link' }, /link/],
    ['delete_path', { path: 'nope' }, /does not exist/],
    ['delete_path', { path: '.' }, /root itself/],
    ['delete_path', { path: 'odd' }, /could not be restored/],
    ['move_path', { from: 'f.txt', to: 'g.txt' }, /already exists/],
    ['move_path', { from: 'd', to: 'd/e' }, /is inside/],
    ['move_path', { from: 'link', to: 'x.txt' }, /link/],
  ])('%s %j is refused, and nothing changes', async (name, args, message) => {
    const b = await editBench({ 'f.txt': 'a\n', 'g.txt': 'b\n', 'd/x.txt': 'x\n' }, asked)
    symlinkSync('f.txt', join(b.root, 'link'))
    mkdirSync(join(b.root, 'odd'))
    symlinkSync('../f.txt', join(b.root, 'odd/link'))
    const before = b.tree()
    expect(errorOf(await b.run(name, args)).message).toMatch(message)
    expect(b.tree()).toEqual(before)
  })

  it.each([
    ['delete_path', { path: 'd' }],
    ['move_path', { from: 'd', to: 'e' }],
  ])('%s takes a folder with as many files as allowed, and none with one more', async (name, args) => {
    const files = { 'd/1': '', 'd/sub/2': '', 'd/sub/3': '' }
    const limited = (most: number) => ({ ...asked, config: { 'tools.edit.max_tree_files': most } })
    const b = await editBench(files, limited(2))
    const before = b.tree()
    const error = errorOf(await b.run(name, args))
    expect(error).toMatchObject({ code: 'limit_exceeded', details: { path: 'd', limit: 2 } })
    expect(error.message).toContain('tools.edit.max_tree_files')
    expect(b.tree()).toEqual(before)
    const roomy = await editBench(files, limited(3))
    expect(outputOf(await roomy.run(name, args))['files']).toHaveLength(3)
  })

  it('denied names cannot be reached by a move', async () => {
    const b = await editBench({ 'f.txt': 'a\n' }, asked)
    expect(errorOf(await b.run('move_path', { from: 'f.txt', to: 'key.pem' })).code).toBe('denied_pattern')
    expect(errorOf(await b.run('move_path', { from: 'f.txt', to: '.git/hooks/x' })).code).toBe(
      'denied_pattern',
    )
  })
})
