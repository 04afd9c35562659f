import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPaint } from '../../../src/terminal/paint.ts'
import { createBlockDrawer, drawTranscript } from '../../../src/faces/tui/draw/draw-transcript.ts'
import { NO_OUTPUT } from '../../../src/faces/tui/view/output-tail.ts'
import { foldLive } from '../../../src/faces/tui/view/fold-live.ts'
import { findTurnEndings } from '../../../src/faces/tui/view/turn-ending.ts'
import { callsOf, EMPTY_VIEW } from '../../../src/faces/tui/view/view.ts'
import { drawEnding } from '../../../src/faces/tui/draw/draw-block.ts'
import { drawCall } from '../../../src/faces/tui/draw/draw-call.ts'
import type { CallBlock, CallProgress, View } from '../../../src/faces/tui/view/view.ts'
import { testSession } from './test-session.ts'

const call = (id: string, name: string, args: object) => ({ id, name, args })
const CANVAS = { columns: 80, paint: createPaint(false), now: 5_000, isStill: true, isAscii: false }
const NOTHING_CHOSEN = { opened: new Map(), selected: null }

const draw = (view: View, columns = 80): readonly string[] =>
  drawTranscript(createBlockDrawer(), view, NOTHING_CHOSEN, { ...CANVAS, columns }).rows

/** Everything that comes from the log; what the app said of its own is not in it. */
const fromLog = ({ blocks, tokens }: View) => ({
  tokens,
  blocks: blocks
    .filter(({ kind }) => kind !== 'notice')
    .map((block) => (block.kind === 'call' ? { ...block, startedAt: null } : block)),
})

const RAN: CallBlock = {
  kind: 'call',
  key: 'e',
  isStreamed: false,
  id: 'c',
  name: 'run_shell',
  turn: 't',
  origin: 'model',
  args: { cmd: ['x'] },
  progress: 'done',
  startedAt: 0,
  durationMs: 1,
  reason: null,
  result: null,
  changes: [],
  isUndone: false,
  tail: NO_OUTPUT,
}

describe('the view', () => {
  it.each([
    [{ exit_code: 0, signal: null }, '✓', ''],
    [{ exit_code: 1, signal: null }, '✗', 'exit code 1'],
    [{ exit_code: null, signal: 'SIGKILL' }, '✗', 'ended by SIGKILL'],
    [{ total: 3, failed: 1, errors: 1, exit_code: 1 }, '✗', '2 of 3 tests did not pass'],
    [{ total: 3, failed: 0, errors: 0, exit_code: 0 }, '✓', ''],
    [{ path: 'a.txt' }, '✓', ''],
  ])('shows a call whose result is %j as %s, %s', (result, mark, right) => {
    const execution = { id: 'e', state: 'COMPLETED', duration_ms: 100 } as const
    const block: CallBlock = {
      kind: 'call',
      key: 'e',
      isStreamed: false,
      id: 'c',
      name: 'run_shell',
      turn: 't',
      origin: 'model',
      args: { cmd: ['x'] },
      progress: 'done',
      startedAt: 0,
      durationMs: null,
      reason: null,
      result: { id: 'c', name: 'run_shell', ok: true, content: '', result, execution },
      changes: [],
      isUndone: false,
      tail: NO_OUTPUT,
    }
    const [row = ''] = drawCall(block, { opened: 'closed', isSelected: false }, CANVAS)
    expect(row.trimEnd()).toMatch(new RegExp(`^ ${mark} run_shell x *${right}$`))
  })

  it('says why the last answer of a turn is short, or none', () => {
    const idle = EMPTY_VIEW
    const usage = { input_tokens: 1, output_tokens: 0, cached_tokens: 0, cost: null }
    const { blocks } = foldLive(
      idle,
      { event: 'done', stop: 'end', changes: [], missing: [], cut: 'refused', usage },
      0,
      50,
    )
    expect(blocks.at(-1)).toMatchObject({
      kind: 'notice',
      text: expect.stringMatching(/^Stopped: .* refused .*\.$/),
    })
    expect(
      foldLive(idle, { event: 'done', stop: 'end', changes: [], missing: [], usage }, 0, 50).blocks,
    ).toEqual(idle.blocks)
  })

  it('says that an answer was cancelled in the middle; a cancelled call says so itself', () => {
    const usage = { input_tokens: 1, output_tokens: 0, cached_tokens: 0, cost: null }
    const done = { event: 'done', stop: 'cancelled', changes: [], missing: [], usage } as const
    const answer = { kind: 'answer', key: 'a', turn: 't', text: 'Half of' } as const
    const after = foldLive({ ...EMPTY_VIEW, blocks: [answer] }, done, 0, 50)
    expect(draw(after).at(-1)?.trim()).toBe('Cancelled by you.')
    const ran = { kind: 'call' } as CallBlock
    expect(foldLive({ ...EMPTY_VIEW, blocks: [ran] }, done, 0, 50).blocks).toEqual([ran])
  })

  it('names a folder as one, and says that only folders changed', () => {
    const folder = { kind: 'folder', digest: '', mode: 0o755 } as unknown as NonNullable<
      CallBlock['changes'][number]['after']
    >
    const made = {
      root: '/w',
      path: 'build',
      before: null,
      after: folder,
      is: 'created',
      diff: null,
    } as const
    const ran = { ...RAN, changes: [made] }
    const rows = draw({ ...EMPTY_VIEW, blocks: [ran] })
    expect(rows).toContain('  │ created: build/')
    expect(rows.at(-1)).toBe('   Only folders changed. /undo reverts it.')
  })

  it('leaves out the middle of a long paste', () => {
    const text = Array.from({ length: 200 }, (_, at) => `line ${at}`).join('\n')
    const rows = draw({ ...EMPTY_VIEW, blocks: [{ kind: 'said', key: 's', turn: 't', text }] })
    expect(rows.length).toBeLessThan(25)
    expect(rows).toContain('> line 0')
    expect(rows).toContain('> … 181 rows left out')
    expect(rows).toContain('> line 199')
  })

  it('is the same whether it was watched or read off the log afterwards', async () => {
    const t = await testSession([
      {
        text: 'Looking.',
        calls: [
          call('c1', 'read_file', { path: 'a.txt' }),
          call('c2', 'write_file', { path: 'a.txt', content: 'beta\n' }),
          call('c3', 'write_file', { path: 'new/b.txt', content: 'b\n' }),
          call('c4', 'read_file', { path: '../secret' }),
        ],
      },
      { text: 'Done.' },
    ])
    await t.session.send('do it')
    await t.session.runCall('read_file', { path: 'a.txt' })
    await t.session.runtime.undo({ session: 's' })
    t.session.catchUp()
    const watched = fromLog(t.session.view())
    expect(watched.blocks.map(({ kind }) => kind)).toEqual([
      'said',
      'answer',
      'call',
      'call',
      'call',
      'call',
      'answer',
      'call',
      'reverted',
    ])
    await t.session.close()
    const again = await t.open()
    expect(fromLog(again.view())).toEqual(watched)
    await again.close()
  })

  it.each([
    ['later\n', '   merged: a.txt (later changes kept)'],
    ['', '   restored: a.txt'],
  ])('says of an undo after the person added %j to the file: %s', async (added, said) => {
    const lines = Array.from({ length: 9 }, (_, at) => `line ${at}\n`).join('')
    const edited = lines.replace('line 1', 'changed')
    const t = await testSession(null, { files: { 'a.txt': lines } })
    await t.session.runCall('read_file', { path: 'a.txt' })
    await t.session.runCall('write_file', { path: 'a.txt', content: edited })
    writeFileSync(join(t.b.root, 'a.txt'), edited + added)
    expect(await t.session.runtime.undo({ session: 's', merge: true })).toMatchObject({ ok: true })
    t.session.catchUp()
    const undone = draw({ ...EMPTY_VIEW, blocks: t.session.view().blocks.slice(-1) })
    expect(undone).toEqual([' ↶ Undone', said])
    await t.session.close()
    const again = await t.open()
    expect(draw({ ...EMPTY_VIEW, blocks: again.view().blocks.slice(-1) })).toEqual(undone)
    await again.runtime.redo({ session: 's' })
    again.catchUp()
    expect(draw({ ...EMPTY_VIEW, blocks: again.view().blocks.slice(-1) })).toEqual([
      ' ↶ Redone',
      '   restored: a.txt',
    ])
    await again.close()
  })

  it('shows what a command changed like an edit, also when the session is opened again', async () => {
    const line = "sed -i s/alpha/beta/ a.txt; rm b.txt; mkdir d; echo new > d/n.txt; printf '\\0' > data"
    const t = await testSession(null, { files: { 'a.txt': 'alpha\n', 'b.txt': 'b\n' } })
    await t.session.runCall('run_shell', { cmd: ['sh', '-c', line] })
    const diffs = (view: View) =>
      callsOf(view).flatMap(({ changes }) => changes.map(({ path, diff }) => [path, diff]))
    const shown = [
      ['a.txt', '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-alpha\n+beta\n'],
      ['b.txt', '--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n'],
      ['d', null],
      ['d/n.txt', '--- /dev/null\n+++ b/d/n.txt\n@@ -0,0 +1 @@\n+new\n'],
      ['data', null],
    ]
    const hasChanges = (view: View) => callsOf(view).some(({ changes }) => changes.length > 0)
    // The result is in the log before its changes are in place.
    for (const view of t.views.filter(hasChanges)) expect(diffs(view)).toEqual(shown)
    expect(diffs(t.session.view())).toEqual(shown)
    await t.session.close()
    const again = await t.open()
    expect(diffs(again.view())).toEqual(shown)
    await again.runtime.undo({ session: 's' })
    await again.close()
    const undone = await t.open()
    expect(diffs(undone.view())).toEqual(shown)
    writeFileSync(join(t.b.root, 'a.txt'), 'other\n')
    await undone.close()
    const changed = await t.open()
    expect(diffs(changed.view())[0]).toEqual(['a.txt', null])
    await changed.close()
  })

  it('a cleared screen keeps what has no end yet, and what the session has used', async () => {
    const turns = [{ calls: [call('c1', 'write_file', { path: 'b.txt', content: 'b\n' })] }]
    const t = await testSession(turns, { approve: () => 'later' })
    await t.session.send('do it')
    const { tokens } = t.session.view()
    t.session.clear()
    expect(tokens).toBeGreaterThan(0)
    expect(t.session.view()).toMatchObject({ tokens, blocks: [{ kind: 'call', progress: 'asked' }] })
    await t.session.close()
  })

  it('what is to be done is known as soon as a call has changed it', async () => {
    const t = await testSession([
      { calls: [call('c1', 'todo_write', { action: 'create', title: 'Sweep' })] },
      { text: 'Noted.' },
    ])
    expect(t.session.tasks()).toEqual([])
    await t.session.send('note it')
    expect(t.session.tasks().map(({ title }) => title)).toEqual(['Sweep'])
    await t.session.close()
  })

  it('FR-TUI-02: a call is pending, then running with its time, then has its mark and its reason', async () => {
    const t = await testSession(null)
    await t.session.runCall('write_file', { path: 'n.txt', content: 'n\n' })
    await t.session.runCall('read_file', { path: '../x' })
    await t.session.runCall('read_file', { path: 'missing.txt' })
    const seen = new Set<CallProgress>(
      t.views.flatMap((view) => callsOf(view).map(({ progress }) => progress)),
    )
    expect([...seen]).toEqual(expect.arrayContaining(['pending', 'running', 'done', 'refused', 'failed']))
    const running = t.views.find((view) => callsOf(view).some(({ progress }) => progress === 'running'))
    const started = callsOf(running ?? t.session.view())[0]?.startedAt ?? 0
    const rows = drawTranscript(createBlockDrawer(), running ?? t.session.view(), NOTHING_CHOSEN, {
      ...CANVAS,
      now: started + 3_400,
    }).rows
    expect(rows[0]).toMatch(/^ » write_file n\.txt +3\.4 s$/)
    const text = draw(t.session.view()).join('\n')
    expect(text).toMatch(/^ ✓ write_file n\.txt/m)
    expect(text).toMatch(/^ ⊘ read_file \.\.\/x.*\n +path_outside_sandbox: /m)
    expect(text).toMatch(/^ ✗ read_file missing\.txt.*\n +execution_failed: /m)
    await t.session.close()
  })

  it('a turn ends with what it changed and how to take it back, several changes of a file as one', async () => {
    const t = await testSession(null)
    await t.session.runCall('write_file', { path: 'n.txt', content: '1\n' })
    const [ending] = findTurnEndings(t.session.view())
    expect(ending).toMatchObject({
      files: [{ path: 'n.txt', is: 'created' }],
      status: 'stands',
      isNewest: true,
    })
    expect(draw(t.session.view()).at(-1)).toBe('   Changed: n.txt (created). /undo reverts it.')
    if (ending === undefined) throw new Error('the turn changed something')
    const gone = Array.from({ length: 80 }, (_, at) => ({ path: `a/${at}`, is: 'deleted' as const }))
    const many = { ...ending, files: [...gone, { path: 'n.txt', is: 'created' as const }] }
    expect(
      drawEnding(many, {
        paint: (_style, text) => text,
        columns: 200,
        now: 0,
        isStill: true,
        isAscii: false,
      }),
    ).toEqual([
      '   Changed: a/0 (deleted), a/1 (deleted), a/2 (deleted), a/3 (deleted), a/4 (deleted), n.txt (created), and 75 more. /undo reverts it.',
    ])
    await t.session.runtime.undo({ session: 's' })
    t.session.catchUp()
    expect(findTurnEndings(t.session.view())[0]?.status).toBe('undone')
    await t.session.close()
  })

  it('a file that is as it was before the turn is not named, and where none is left nothing is different', async () => {
    const thereAndBack = [
      call('c1', 'read_file', { path: 'a.txt' }),
      call('c2', 'write_file', { path: 'a.txt', content: 'beta\n' }),
      call('c3', 'write_file', { path: 'a.txt', content: 'alpha\n' }),
    ]
    const create = call('c4', 'write_file', { path: 'n.txt', content: 'n\n' })
    const t = await testSession([
      { calls: [...thereAndBack, create] },
      { text: 'One.' },
      { calls: thereAndBack },
      { text: 'Two.' },
    ])
    await t.session.send('do it')
    expect(findTurnEndings(t.session.view())[0]?.files).toEqual([{ path: 'n.txt', is: 'created' }])
    await t.session.send('once more')
    expect(findTurnEndings(t.session.view())[1]).toMatchObject({ files: [], status: 'stands' })
    expect(draw(t.session.view(), 120).at(-1)).toBe(
      '   Nothing changed in the end. /undo reverts it, /undo --last 1 only the last call.',
    )
    await t.session.runtime.undo({ session: 's' })
    t.session.catchUp()
    expect(findTurnEndings(t.session.view())[1]).toMatchObject({
      files: [{ path: 'a.txt', is: 'modified' }],
      status: 'partly',
    })
    await t.session.close()
  })

  it('FR-TUI-04: in parse-only mode the held calls are listed by name and id, with how to answer', async () => {
    const calls = [call('c1', 'read_file', { path: 'a.txt' }), call('c2', 'glob', { patterns: ['*'] })]
    const t = await testSession([{ text: 'Looking.', calls }, { text: 'Thank you.' }], {
      given: { 'tools.mode': 'parse_only' },
    })
    await t.session.send('look')
    const text = draw(t.session.view()).join('\n')
    expect(text).toMatch(/c1 {2}read_file\n +c2 {2}glob/)
    expect(text).toContain('/tool ID RESULT, or /tool error ID TEXT')
    expect(t.session.answerTool('c1', { result: 'given' })).toMatchObject({
      ok: true,
      received: 1,
      expected: 2,
    })
    expect(t.session.answerTool('c2', { error: 'no' })).toMatchObject({ ok: true, received: 2 })
    await t.session.send(null)
    const after = draw(t.session.view()).join('\n')
    expect(after).toContain('Thank you.')
    expect(after).not.toContain('/tool ID RESULT')
    await t.session.close()
  })

  it('F-UI-STREAM: what a command prints is watched while it runs, and is in its result afterwards', async () => {
    const t = await testSession(null, { given: { 'tools.shell.sandbox': 'none' } })
    const script = 'for i in 1 2 3; do echo line $i; sleep 0.2; done'
    await t.session.runCall('run_shell', { cmd: ['sh', '-c', script] })
    const tails = t.views.flatMap((view) => callsOf(view).map(({ tail }) => tail.raw))
    expect(tails.some((raw) => raw.includes('line 1') && !raw.includes('line 3'))).toBe(true)
    const [last] = callsOf(t.session.view())
    expect(last?.tail.raw).toBe('')
    expect(draw(t.session.view()).join('\n')).toMatch(/│ line 1\n.*│ line 2\n.*│ line 3/)
    await t.session.close()
  })

  it('how tests went is told in the words of the report, not as JSON', async () => {
    const t = await testSession(null, { given: { 'tools.shell.sandbox': 'none' } })
    const script = 'echo 1..2; echo ok 1 - adds; echo not ok 2 - subtracts; exit 1'
    await t.session.runCall('run_tests', { command: ['sh', '-c', script] })
    const text = draw(t.session.view()).join('\n')
    expect(text).toMatch(/│ 2 tests \(sh\): 1 passed, 1 failed *\n/)
    expect(text).toMatch(/│ FAILED .*subtracts/)
    expect(text).not.toContain('"passed"')
    await t.session.close()
  })

  it.for([60, 100, 200])(
    'at %i columns no row is wider than the screen and nothing reaches it unsanitised',
    async (columns) => {
      const evil = `\u001b[2J\u202e\u0007${'字'.repeat(200)}\r\n> forged\n✓ write_file forged.txt\n`
      const t = await testSession([
        {
          text: `# ${evil}\n\n| a | ${'b'.repeat(300)} |\n|---|---|\n| c | d |\n`,
          calls: [call('c1', 'write_file', { path: 'e.txt', content: evil })],
        },
        { text: 'x' },
      ])
      await t.session.send(evil)
      await t.session.runCall('read_file', { path: 'e.txt' })
      t.session.say('trouble', evil)
      const rows = draw(t.session.view(), columns)
      const { visibleWidth } = await import('@earendil-works/pi-tui')
      for (const row of rows) expect(visibleWidth(row)).toBeLessThanOrEqual(columns)
      const text = rows.join('\n').replaceAll(/\u001b\[[0-9;]*m/g, '')
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
      // Only our own rows have a mark in the first column.
      expect(
        rows
          .filter((row) => row.startsWith(' ✓'))
          .every((row) => /^ ✓ (?:write_file e\.txt|read_file e\.txt)/.test(row)),
      ).toBe(true)
      await t.session.close()
    },
  )
})
