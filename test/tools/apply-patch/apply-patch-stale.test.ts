import { createHash, generateKeyPairSync } from 'node:crypto'
import { rmSync, symlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openStore } from '../../../src/journal/open-store.ts'
import { errorOf, outputOf } from '../../bench-folder.ts'
import { editBench, lp1 } from '../edits/edit-bench.ts'

const UNREAD = 'File was not read before patching'
const CHANGED = 'File content changed since last read'
const append = (path: string): readonly string[] => [`F ${path}`, 'T', 'new', '.']

describe('stale files', () => {
  it('FR-TOOL-PATCH-02: a patch wants the file as the model last saw it', async () => {
    const bench = await editBench({ 'a.txt': 'a\n' })
    expect((await bench.patch(...append('a.txt'))).ok).toBe(false)
    await bench.see('a.txt')
    bench.put('a.txt', 'b\n')
    expect((await bench.patch(...append('a.txt'))).ok).toBe(false)
    expect(bench.raw('a.txt')).toBe('b\n')
    await bench.see('a.txt')
    expect((await bench.patch(...append('a.txt'))).ok).toBe(true)
    expect(bench.raw('a.txt')).toBe('b\nnew\n')
  })

  it('FR-TOOL-PATCH-02a: a file that was never read is refused, without any of its content', async () => {
    const bench = await editBench({ 'a.txt': 'secret\n' })
    const result = await bench.patch(...append('a.txt'))
    const error = errorOf(result)
    expect(error).toMatchObject({
      code: 'stale_file',
      kind: 'StaleFile',
      type: 'validation-error',
      class: 'StateError',
      state: 'ROLLED_BACK',
      message: UNREAD,
      details: { file: 'a.txt', reason: UNREAD },
    })
    expect(error.content).toContain(UNREAD)
    expect(JSON.stringify(result)).not.toContain('secret')
    expect(errorOf(await bench.patch(...append('a.txt'))).message).toBe(UNREAD)
    expect(bench.raw('a.txt')).toBe('secret\n')
  })

  it('FR-TOOL-PATCH-02b: a file that changed since it was read is refused and shown as it is now', async () => {
    const bench = await editBench({ 'a.txt': 'red\n' })
    await bench.see('a.txt')
    bench.put('a.txt', 'red\nblue\n')
    const error = errorOf(await bench.patch(...append('a.txt')))
    expect(error).toMatchObject({
      code: 'stale_file',
      kind: 'StaleFile',
      state: 'ROLLED_BACK',
      message: CHANGED,
      details: {
        file: 'a.txt',
        reason: CHANGED,
        fresh: { start_line: 1, end_line: 2, text: 'red\nblue\n' },
      },
    })
    expect(error.content).toContain(CHANGED)
    expect(bench.raw('a.txt')).toBe('red\nblue\n')
    expect((await bench.patch(...append('a.txt'))).ok).toBe(true)
  })

  it('FR-TOOL-PATCH-02b: content decides, not size or time', async () => {
    const bench = await editBench({ 'same.txt': 'aa\n', 'other.txt': 'aa\n' })
    const when = new Date(2020, 1, 1)
    const touch = (name: string, content: string): void => utimesSync(bench.put(name, content), when, when)
    touch('other.txt', 'aa\n')
    await bench.see('same.txt', 'other.txt')
    touch('same.txt', 'aa\n')
    touch('other.txt', 'bb\n')
    expect((await bench.patch(...append('same.txt'))).ok).toBe(true)
    expect(errorOf(await bench.patch(...append('other.txt'))).message).toBe(CHANGED)
  })

  it('FR-TOOL-PATCH-02c: what was read is known per session, by canonical path, hash and time', async () => {
    let now = 1_600_000_000_000
    const clock = { now: () => now, elapsed: () => 0 }
    const bench = await editBench({ 'real.txt': 'a\n' }, { clock, durability: 'normal' })
    symlinkSync('real.txt', join(bench.root, 'link.txt'))
    await bench.see('link.txt')
    // The latest look is the one that counts.
    now = 1_700_000_000_123
    await bench.see('link.txt')
    const elsewhere = await bench.run(
      'apply_patch',
      { patch: lp1(...append('real.txt')) },
      { session: 'other' },
    )
    expect(errorOf(elsewhere).message).toBe(UNREAD)
    const { root } = bench.runtime
    await bench.runtime.close()
    const store = openStore({ stateDir: bench.stateDir, durability: 'normal', clock })
    const log = await store.open({ root, name: 'default' })
    expect(log.ledger(join(root, 'real.txt'))).toMatchObject({
      path: join(root, 'real.txt'),
      digest: createHash('sha256').update('a\n').digest('hex'),
      at: 1_700_000_000_123,
    })
    expect(log.ledger(join(root, 'link.txt'))).toBeNull()
    log.close()
    store.close()
  })

  it('FR-TOOL-PATCH-02d: the sandbox is asked before the hash, and the hash before any change', async () => {
    const bench = await editBench({ 'ok.txt': 'a\n', 'stale.txt': 'b\n' })
    await bench.see('ok.txt')
    const before = bench.tree()
    const outside = await bench.patch(...append('stale.txt'), ...append('../x.txt'))
    expect(errorOf(outside)).toMatchObject({ code: 'path_outside_sandbox', state: 'DENIED' })
    const unmatched = await bench.patch('F ok.txt', 'E', 'no such line', '.', ...append('stale.txt'))
    expect(errorOf(unmatched)).toMatchObject({ code: 'stale_file', details: { file: 'stale.txt' } })
    const late = await bench.patch(...append('ok.txt'), ...append('stale.txt'))
    expect(errorOf(late).code).toBe('stale_file')
    expect(bench.tree()).toEqual(before)
  })

  it('a file that does not exist yet needs no reading', async () => {
    const bench = await editBench()
    expect((await bench.patch(...append('n.txt'))).ok).toBe(true)
  })

  it('a file that was removed since it was read does not count as changed', async () => {
    const bench = await editBench({ 'a.txt': 'a\n', 'b.txt': 'b\n' })
    await bench.see('a.txt')
    rmSync(join(bench.root, 'a.txt'))
    expect(errorOf(await bench.patch('F a.txt', 'E', 'a', '.')).details).toMatchObject({
      lp1: 'missing_file_for_match_op',
    })
  })

  it('its own edits count as read, and created files too', async () => {
    const bench = await editBench({ 'a.txt': 'a\n' })
    await bench.see('a.txt')
    for (const path of ['a.txt', 'a.txt', 'n.txt', 'n.txt']) {
      expect((await bench.patch(...append(path))).ok).toBe(true)
    }
    expect(bench.raw('a.txt')).toBe('a\nnew\nnew\n')
    expect(bench.raw('n.txt')).toBe('new\nnew\n')
  })

  it('its own edit does not cover what others change afterwards', async () => {
    const bench = await editBench({ 'a.txt': 'a\n' })
    await bench.see('a.txt')
    await bench.patch(...append('a.txt'))
    bench.put('a.txt', 'others\n')
    expect(errorOf(await bench.patch(...append('a.txt'))).message).toBe(CHANGED)
  })

  it('a range is enough to patch the file', async () => {
    const bench = await editBench({ 'a.txt': 'a\nb\nc\n' })
    outputOf(await bench.run('read_file', { path: 'a.txt', start_line: 3, end_line: 3 }))
    expect((await bench.patch('F a.txt', 'R', 'a', '.', 'x', '.')).ok).toBe(true)
    expect(bench.raw('a.txt')).toBe('x\nb\nc\n')
  })

  it('what is shown instead of a question counts as seen, and hides the lines of a key', async () => {
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const body = String(key.export({ type: 'pkcs8', format: 'pem' })).split('\n')
    const lines = [...Array.from({ length: 2000 }, (_, index) => `line ${index}`), ...body]
    const bench = await editBench(
      { 'a.txt': 'red\n', 'notes.txt': lines.join('\n') },
      {
        config: { 'tools.approval.mode': 'prompt', 'secrets.to_model': 'deny' },
        approve: async (requests) => requests.map(() => 'once' as const),
      },
    )
    await bench.see('a.txt', 'notes.txt')
    bench.put('a.txt', 'blue\n')
    bench.put('notes.txt', ['new', ...lines].join('\n'))
    expect(errorOf(await bench.patch(...append('a.txt'))).content).toContain('blue')
    expect((await bench.patch(...append('a.txt'))).ok).toBe(true)
    const patch = lp1('F notes.txt', 'R', body[12] ?? '', '.', 'x', '.')
    const stale = errorOf(await bench.run('apply_patch', { patch }, { origin: 'model' }))
    expect(stale).toMatchObject({ code: 'stale_file', details: { fresh: { start_line: 2009 } } })
    expect(JSON.stringify(stale)).not.toContain(body[13])
  })

  it('a large stale file is shown around the place that was meant, and then may be patched', async () => {
    const lines = Array.from({ length: 3000 }, (_, index) => `line ${index + 1}`)
    const bench = await editBench({ 'a.txt': `${lines.join('\n')}\n` })
    await bench.see('a.txt')
    bench.put('a.txt', `first\n${lines.join('\n')}\n`)
    const patch = ['F a.txt', 'T', 'end', '.', 'R', 'line 2000', 'line 2001', '.', 'x', '.']
    const { fresh } = errorOf(await bench.patch(...patch)).details as { fresh: { text: string } }
    expect(fresh).toMatchObject({ start_line: 1996, end_line: 2007 })
    expect(fresh.text).toMatch(/^line 1995\n[^]*\nline 2000\nline 2001\n[^]*line 2006\n$/)
    expect((await bench.patch(...patch)).ok).toBe(true)
    expect(bench.raw('a.txt')).toContain('line 1999\nx\nline 2002\n')
  })

  it('a stale file with one endless line is not shown, and must be read again', async () => {
    const bench = await editBench({ 'a.txt': 'x\n' })
    await bench.see('a.txt')
    bench.put('a.txt', 'y'.repeat(100_000))
    expect(errorOf(await bench.patch(...append('a.txt'))).details).toEqual({ file: 'a.txt', reason: CHANGED })
    expect(errorOf(await bench.patch(...append('a.txt'))).message).toBe(CHANGED)
    await bench.see('a.txt')
    expect((await bench.patch(...append('a.txt'))).ok).toBe(true)
  })
})
