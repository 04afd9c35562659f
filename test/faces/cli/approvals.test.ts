import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorOf } from '../../bench-folder.ts'
import { outcomes } from '../../pipeline/sample-tools.ts'
import { useShops, writes } from './command-line.ts'

const shop = useShops()

const read = (path: string) => ({ id: `read ${path}`, name: 'read_file', args: { path } })

describe('approvals on the command line', () => {
  it('a batch waits, is answered one by one, and runs with the last answer, once', async () => {
    const s = shop({ 'a.txt': 'a\n' })
    const first = await s.batch([
      read('a.txt'),
      writes('b'),
      { id: 'x', name: 'nope', args: {} },
      writes('c'),
    ])
    expect(first.code).toBe(4)
    expect(outcomes(first.rows)).toEqual([
      'approval_required',
      'approval_required',
      'unknown_tool',
      'approval_required',
    ])
    const [one = '', two = ''] = await s.pendingIds()
    expect(first.rows.map((row) => (row.ok ? '' : row.error.details['approval']))).toEqual([
      null,
      one,
      undefined,
      two,
    ])
    const half = await s.tongs(['approve', one, '--json'])
    expect(half.code).toBe(4)
    expect(half.rows.map((row) => (row.ok ? '' : row.error.details['approval']))).toEqual([
      null,
      null,
      undefined,
      two,
    ])
    expect([s.get('b'), s.get('c')]).toEqual([null, null])
    const last = await s.tongs(['approve', two, '--json'])
    expect(last.code).toBe(1)
    expect(outcomes(last.rows)).toEqual(['ok', 'ok', 'unknown_tool', 'ok'])
    expect([s.get('b'), s.get('c')]).toEqual(['b\n', 'c\n'])
    s.put('b', 'changed by hand\n')
    const again = await s.tongs(['approve', two, '--json'])
    expect(again).toMatchObject({ code: 1, out: '' })
    expect(again.err).toMatch(/was already approved by \S+, and its batch is done/)
    expect(s.get('b')).toBe('changed by hand\n')
  })

  it('a denial with words ends the call as denied, with the words in what the model gets', async () => {
    const s = shop()
    await s.batch([writes('b')])
    const [id = ''] = await s.pendingIds()
    const { code, rows } = await s.tongs(['deny', id, '--say', 'put it in docs', '--json'])
    expect(code).toBe(3)
    expect(errorOf(rows[0])).toMatchObject({
      code: 'approval_denied',
      state: 'DENIED',
      details: { reason: 'denied' },
    })
    expect(rows[0]?.content).toContain('put it in docs')
    expect(s.get('b')).toBeNull()
    expect(await s.pendingIds()).toEqual([])
  })

  it('what nobody waits for, and odd words, are refused without doing anything', async () => {
    const s = shop()
    await s.batch([writes('b')])
    expect(await s.tongs(['approve', 'nope'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('see tongs pending'),
    })
    expect((await s.tongs(['approve', 'all', 'more'])).code).toBe(2)
    expect((await s.tongs(['approve'])).code).toBe(2)
    expect((await s.tongs(['approve', 'all', '--dry-run'])).code).toBe(2)
    expect(await s.pendingIds()).toHaveLength(1)
    expect(s.get('b')).toBeNull()
  })

  it('a question that expired is neither listed nor answered', async () => {
    const s = shop()
    const { rows } = await s.batch([writes('b')], '--set', 'tools.approval.pending_seconds=0.001')
    const id = String(rows[0]?.ok === false ? rows[0].error.details['approval'] : '')
    expect(await s.pendingIds()).toEqual([])
    const late = await s.tongs(['approve', id, '--json'])
    expect(late.code).toBe(3)
    expect(errorOf(late.rows[0])).toMatchObject({ code: 'approval_denied', details: { reason: 'expired' } })
    expect(s.get('b')).toBeNull()
  })

  it('approve all means every session of this root', async () => {
    const s = shop()
    await s.batch([writes('one')], '--session', 'one')
    await s.batch([writes('two')], '--session', 'two')
    const { code, rows } = await s.tongs(['approve', 'all', '--json'])
    expect([code, ...outcomes(rows)]).toEqual([0, 'ok', 'ok'])
    expect([s.get('one'), s.get('two')]).toEqual(['one\n', 'two\n'])
    expect((await s.tongs(['approve', 'all'])).out).toBe('Nothing is waiting for approval.\n')
  })

  it('what changed meanwhile is not overwritten by an old yes', async () => {
    const s = shop({ 'a.txt': 'one\n' })
    await s.batch([read('a.txt')])
    await s.batch([{ id: 'w', name: 'write_file', args: { path: 'a.txt', content: 'two\n' } }])
    rmSync(join(s.root, 'a.txt'))
    const { code, rows } = await s.tongs(['approve', 'all', '--json'])
    expect(code).toBe(3)
    expect(errorOf(rows[0])).toMatchObject({
      code: 'approval_denied',
      details: { reason: 'preview_changed' },
    })
    expect(s.get('a.txt')).toBeNull()
  })

  it('of several outcomes the exit code is that of waiting before failed before denied', async () => {
    const s = shop({ 'a.txt': 'a\n' })
    const denied = { id: 'd', name: 'run_command', args: { command: 'x' } }
    const failed = { id: 'f', name: 'nope', args: {} }
    const codeOf = async (...calls: readonly unknown[]) => (await s.batch(calls)).code
    expect(await codeOf(read('a.txt'))).toBe(0)
    expect(await codeOf(read('a.txt'), denied)).toBe(3)
    expect(await codeOf(denied, failed)).toBe(1)
    expect(await codeOf(denied, failed, writes('b'))).toBe(4)
  })

  it('--yes answers questions and lifts no denial', async () => {
    const s = shop()
    const yes = (...words: readonly string[]) =>
      s.tongs(['call', 'write_file', '{"path":"b","content":""}', '--yes', '--json', ...words])
    expect((await yes('--set', 'tools.approval.denylist=["write_file"]')).code).toBe(3)
    expect((await yes('--set', 'tools.approval.mode=deny')).code).toBe(3)
    expect((await yes('--preset', 'plan')).code).toBe(3)
    expect(s.get('b')).toBeNull()
    expect((await yes()).code).toBe(0)
  })

  it('pending shows people what would happen, with nothing in it that a terminal obeys', async () => {
    const s = shop()
    const call = {
      id: 'w',
      name: 'write_file',
      args: { path: 'b', content: 'x\u001b]0;owned\u0007\u202e\n' },
    }
    await s.batch([call])
    const { out } = await s.tongs(['pending'])
    expect(out).toMatch(
      /^May this run\? {2}medium risk\nAsked because approval mode [^\n]*\n {2}│ write_file: Write b/,
    )
    expect(out).toContain('x\\u{1B}]0;owned\\u{7}\\u{202E}')
    expect(out).toMatch(/answer with tongs approve \w{26} or tongs deny/)
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  })
})

describe('presets on the command line', () => {
  it('plan refuses, ask waits, edits runs; and each can be printed', async () => {
    const s = shop()
    const call = (preset: string) =>
      s.tongs([
        'call',
        'write_file',
        `{"path":"${preset}","content":""}`,
        '--json',
        '--preset',
        preset,
        '--session',
        preset,
      ])
    const plan = await call('plan')
    expect([plan.code, (await call('ask')).code, (await call('edits')).code]).toEqual([3, 4, 0])
    expect(outcomes(plan.rows)).toEqual(['not_allowed'])
    const printed = JSON.parse((await s.tongs(['config', 'preset', '--json'])).out) as readonly {
      name: string
    }[]
    expect(printed.map(({ name }) => name)).toEqual(['plan', 'ask', 'edits', 'auto'])
    const one = JSON.parse((await s.tongs(['config', 'preset', 'edits', '--json'])).out) as unknown
    expect(one).toMatchObject({ name: 'edits', values: { 'tools.approval.approved_effects': ['edit'] } })
  })

  it('edits still asks before what is risky, and a preset nobody knows is bad usage', async () => {
    const s = shop({ 'a.txt': 'a\n' })
    await s.batch([read('a.txt')])
    const { code } = await s.tongs(['call', 'delete_path', '{"path":"a.txt"}', '--preset', 'edits'])
    expect(code).toBe(4)
    const odd = await s.tongs(['call', 'read_file', '{"path":"a.txt"}', '--preset', 'edts'])
    expect(odd).toMatchObject({ code: 2, err: expect.stringContaining('did you mean edits?') })
  })
})
