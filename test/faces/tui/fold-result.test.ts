import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../src/core/json/value.ts'
import { drawCall, nextOpened } from '../../../src/faces/tui/draw/draw-call.ts'
import type { Opened } from '../../../src/faces/tui/draw/draw-call.ts'
import { callsOf } from '../../../src/faces/tui/view/view.ts'
import type { CallBlock } from '../../../src/faces/tui/view/view.ts'
import { NO_OUTPUT } from '../../../src/faces/tui/view/output-tail.ts'
import { createPaint } from '../../../src/terminal/paint.ts'
import { testSession } from './test-session.ts'

const CANVAS = { columns: 80, paint: createPaint(false), now: 0, isStill: true, isAscii: false }
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join('')

function callWith(result: JsonObject, more: Partial<CallBlock> = {}): CallBlock {
  const execution = { id: 'e', state: 'COMPLETED', duration_ms: 3 } as const
  return {
    kind: 'call',
    key: 'e',
    isStreamed: false,
    id: 'c',
    name: 'tool',
    turn: 't',
    origin: 'model',
    args: { path: 'a.txt' },
    progress: 'done',
    startedAt: 0,
    durationMs: 3,
    reason: null,
    result: { id: 'c', name: 'tool', ok: true, content: 'all of it', result, execution },
    changes: [],
    isUndone: false,
    tail: NO_OUTPUT,
    ...more,
  }
}

const draw = (call: CallBlock, opened: Opened = 'closed'): readonly string[] =>
  drawCall(call, { opened, isSelected: false }, CANVAS)

const match = (path: string, line: number) => ({ path, line, column: 1, match_text: 'x' })

describe('a call of a model that only looked', () => {
  it.each<[string, JsonObject]>([
    ['3 lines', { encoding: 'utf-8', content: 'a\nb\nc\n', total_lines: 3, truncated: false }],
    ['1 line', { encoding: 'utf-8', content: 'a\n', total_lines: 1, truncated: false }],
    [
      '3 of 41 lines',
      {
        encoding: 'utf-8',
        content: 'a',
        total_lines: 41,
        range: { start_line: 2, end_line: 4 },
        truncated: false,
      },
    ],
    ['2.0 KiB', { encoding: 'base64', content: 'AA==', size: 2048, truncated: false }],
    ['no matches', { matches: [], truncated: false }],
    ['1 match in 1 file', { matches: [match('a', 1)], truncated: false }],
    [
      '3 matches in 2 files, and more',
      { matches: [match('a', 1), match('a', 2), match('b', 1)], truncated: true },
    ],
    ['no files', { files: [], truncated: false }],
    ['2 files', { files: [{ path: 'a' }, { path: 'b' }], truncated: false }],
    ['1 entry', { entries: [{ name: 'a' }], truncated: false }],
    [
      '2 symbols in 1 file',
      { files: [{ path: 'a', symbols: [{ name: 'f' }, { name: 'g' }] }], truncated: false },
    ],
    ['status 404, 12 bytes', { url: 'https://x', status: 404, bytes: 12, content: 'gone' }],
  ])('takes one row that says %s', (right, result) => {
    const rows = draw(callWith(result))
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatch(/^ ✓ tool a\.txt +/)
    expect(rows[0]?.endsWith(`  ${right}`)).toBe(true)
  })

  it('says how long it took if that was long', () => {
    expect(draw(callWith({ files: [], truncated: false }, { durationMs: 1_500 }))[0]).toMatch(
      /no files, 1\.5 s$/,
    )
  })

  it('shows its result to the person who typed it', () => {
    const rows = draw(callWith({ files: [{ path: 'b.txt' }], truncated: false }, { origin: 'person' }))
    expect(rows).toEqual([expect.stringMatching(/^ ✓ tool a\.txt +3 ms$/), '  │ b.txt'])
  })

  it('says how large a picture or program is, whoever asked: its bytes are nothing to read', () => {
    const picture = callWith({ encoding: 'base64', content: 'AA==', size: 2048 }, { origin: 'person' })
    expect(draw(picture)).toEqual([expect.stringMatching(/tool a\.txt +2\.0 KiB$/)])
    expect(nextOpened(picture, 'closed')).toBe('result')
  })

  it('opens to its result, then to its JSON, and closes', () => {
    const call = callWith({ files: [{ path: 'b.txt' }], truncated: false })
    const first = nextOpened(call, 'closed')
    expect(first).toBe('result')
    expect(draw(call, first).slice(1)).toEqual(['  │ b.txt'])
    const second = nextOpened(call, first)
    expect(second).toBe('json')
    expect(draw(call, second).join('\n')).toContain('"name": "tool"')
    expect(nextOpened(call, second)).toBe('closed')
  })

  it('opens to its JSON at once if nothing of its result is hidden', () => {
    expect(nextOpened(callWith({ tasks: [] }), 'closed')).toBe('json')
  })
})

describe('what a command printed', () => {
  it('is folded to its end', () => {
    const rows = draw(callWith({ stdout: numbered(40), stderr: '', exit_code: 0 }))
    expect(rows.slice(1)).toEqual([
      '  │ … 37 lines before these, Tab shows more',
      '  │ line 38',
      '  │ line 39',
      '  │ line 40',
    ])
  })

  it('is shown further back if it failed, with the exit code beside the sign', () => {
    const rows = draw(callWith({ stdout: numbered(40), stderr: 'broken\n', exit_code: 3 }))
    expect(rows[0]).toMatch(/^ ✗ tool a\.txt +exit code 3, 3 ms$/)
    expect(rows).toHaveLength(11)
    expect(rows.at(-1)).toBe('  │ broken')
    expect(rows.join('\n').match(/exit code/g)).toHaveLength(1)
  })

  it('is shown of a command whose exit code is an error', async () => {
    const t = await testSession(
      [{ calls: [{ id: 'c1', name: 'run_command', args: { command: 'echo one; exit 4' } }] }, { text: 'x' }],
      { given: { 'tools.run_command.enabled': true, 'tools.shell.sandbox': 'none' } },
    )
    await t.session.send('go')
    const [call] = callsOf(t.session.view())
    if (call === undefined) throw new Error('there is no call')
    const rows = draw(call)
    expect(rows[0]).toMatch(/^ ✗ run_command echo one; exit 4 +exit code 4, /)
    expect(rows).toContain('  │ one')
    await t.session.close()
  })
})

it.each([
  ['skipped', 'Skipped: new words arrived', '     Skipped: new words arrived'],
  ['not_found', 'there is no such file', '     not_found: there is no such file'],
])('a reason that begins with its code %s says it once', (code, reason, row) => {
  const error = { code, message: reason, recovery: [], details: {} }
  const execution = { id: 'e', state: 'FAILED', duration_ms: 3 } as const
  const result = { id: 'c', name: 'tool', ok: false, content: '', error, execution }
  const call = callWith({}, { progress: 'failed', reason, result } as unknown as Partial<CallBlock>)
  expect(draw(call)[1]).toBe(row)
})

it('a long reason says that it goes on, and how to see all of it', () => {
  const reason = Array.from({ length: 60 }, (_, at) => `word${at}`).join(' ')
  const error = { code: 'bad_args', message: reason, recovery: [reason], details: {} }
  const execution = { id: 'e', state: 'FAILED', duration_ms: 3 } as const
  const result = { id: 'c', name: 'tool', ok: false, content: '', error, execution }
  const call = callWith({}, { progress: 'refused', reason, result } as unknown as Partial<CallBlock>)
  const closed = draw(call)
  expect(closed).toHaveLength(8)
  expect(closed.at(-1)).toBe('     … Tab shows all of it')
  expect(
    draw(call, nextOpened(call, 'closed'))
      .join(' ')
      .match(/word59/g)?.length,
  ).toBeGreaterThan(1)
})

it('is opened with a command where there are no keys', () => {
  const call = callWith({ stdout: numbered(40), stderr: '', exit_code: 0 })
  const rows = drawCall(call, { opened: 'closed', isSelected: false }, { ...CANVAS, opensWith: '/show' })
  expect(rows[1]).toBe('  │ … 37 lines before these, /show shows more')
})

describe('a change', () => {
  const diffOf = (path: string, count: number): CallBlock['changes'][number] => ({
    root: '/w',
    path,
    before: null,
    after: null,
    is: 'created',
    diff: `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${count} @@\n${'+x\n'.repeat(count)}`,
  })

  it('has line numbers, and names its file only if the row above does not', () => {
    const edit = { result: null, changes: [diffOf('a.txt', 2)] }
    expect(draw(callWith({}, edit)).slice(1)).toEqual(['  │ 1 +x', '  │ 2 +x'])
    const command = { ...edit, args: { cmd: ['make'] } }
    expect(draw(callWith({}, command)).slice(1)).toEqual(['  │ a.txt (new)', '  │ 1 +x', '  │ 2 +x'])
    const both = { ...edit, changes: [diffOf('a.txt', 1), diffOf('b.txt', 10)] }
    expect(draw(callWith({}, both)).slice(1, 4)).toEqual(['  │ a.txt (new)', '  │  1 +x', '  │ b.txt (new)'])
  })

  it('names its file if the row above is cut before it', () => {
    const args = { old: 'x'.repeat(40), new: 'y'.repeat(40), paths: ['a.txt'] }
    const call = callWith({}, { result: null, changes: [diffOf('a.txt', 1)], args })
    expect(draw(call).slice(1)).toEqual(['  │ a.txt (new)', '  │ 1 +x'])
    const wide = drawCall(call, { opened: 'closed', isSelected: false }, { ...CANVAS, columns: 120 })
    expect(wide.slice(1)).toEqual(['  │ 1 +x'])
  })

  it('of a command stands below what the command printed', () => {
    const changes = [diffOf('a.txt', 1)]
    const call = callWith({ stdout: 'checked\n', stderr: 'one is wrong\n', exit_code: 1 }, { changes })
    expect(draw(call).slice(1)).toEqual(['  │ checked', '  │ one is wrong', '  │ 1 +x'])
    expect(draw(callWith({ files: [], diff: 'x' }, { changes })).slice(1)).toEqual(['  │ 1 +x'])
  })

  it('is shown in full once it is opened', () => {
    const call = callWith({}, { changes: [diffOf('a.txt', 30)] })
    expect(draw(call).at(-1)).toBe('  │ … 15 more lines, Tab shows them')
    expect(nextOpened(call, 'closed')).toBe('result')
    expect(draw(call, 'result').at(-1)).toBe('  │ 30 +x')
  })
})
