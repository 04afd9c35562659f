import type { Terminal } from '@earendil-works/pi-tui'
import { describe, expect, it, vi } from 'vitest'
import { createSettledDrawer } from '../../../src/faces/tui/draw/draw-settled.ts'
import type { Printable } from '../../../src/faces/tui/draw/draw-settled.ts'
import { createBlockDrawer } from '../../../src/faces/tui/draw/draw-transcript.ts'
import { InlineTui } from '../../../src/faces/tui/screen/inline-tui.ts'
import { NO_OUTPUT } from '../../../src/faces/tui/view/output-tail.ts'
import { EMPTY_VIEW } from '../../../src/faces/tui/view/view.ts'
import type { Block, CallBlock, View } from '../../../src/faces/tui/view/view.ts'
import { createPaint } from '../../../src/terminal/paint.ts'
import { TONGS } from '../cli/command-line.ts'
import { openApp, READY } from './app-pane.ts'

const CANVAS = { columns: 80, paint: createPaint(false), now: 0, isStill: true, isAscii: false }
const START = { known: ['the start'], open: [], isSettled: true }

const said = (text: string): Block => ({ kind: 'said', key: `said ${text}`, turn: 't1', text })
const call = (key: string, progress: CallBlock['progress']): CallBlock => ({
  kind: 'call',
  key,
  isStreamed: false,
  id: key,
  name: 'read_file',
  turn: 't1',
  origin: 'model',
  args: { path: `${key}.txt` },
  progress,
  startedAt: null,
  durationMs: 3,
  reason: null,
  result: progress === 'done' ? doneOf(key) : null,
  changes: [],
  isUndone: false,
  tail: NO_OUTPUT,
})

function doneOf(id: string): CallBlock['result'] {
  return { ok: true, id, name: 'read_file', result: {}, content: '' } as unknown as CallBlock['result']
}

/** A drawer, with the names of the calls and the words that it prints for good. */
function printer() {
  const draw = createSettledDrawer(createBlockDrawer())
  return (
    blocks: readonly Block[],
    more: { isIdle?: boolean; session?: string; start?: Printable['start']; asked?: readonly string[] } = {},
  ) => {
    const view: View = { ...EMPTY_VIEW, blocks, turn: 't1' }
    const { isIdle = false, session = 's', start = START, asked = [] } = more
    const { settled, live } = draw({ view, session, start, isIdle, asked: new Set(asked) }, CANVAS)
    const tell = (rows: readonly string[]): string =>
      rows.flatMap((row) => /the start|\b[a-z]\.txt|> \w+/.exec(row)?.[0] ?? []).join(' ')
    return `${tell(settled)} | ${tell(live)}`
  }
}

describe('what an inline screen prints for good', () => {
  it('prints each block once, in order, and keeps what follows an open call live', () => {
    const print = printer()
    const open = [said('hello'), call('a', 'done'), call('b', 'running'), call('c', 'done')]
    expect(print(open)).toBe('the start > hello a.txt | b.txt c.txt')
    expect(print(open)).toBe(' | b.txt c.txt')
    expect(print(open.with(2, call('b', 'done')))).toBe('b.txt c.txt | ')
  })

  it('prints the first rows that are certain, and waits with everything behind them until the others are', () => {
    const print = printer()
    const start = { known: ['the start'], open: ['> sandbox'] }
    expect(print([said('hello')], { start: { ...start, isSettled: false } })).toBe(
      'the start | > sandbox > hello',
    )
    expect(print([said('hello')], { start: { ...start, isSettled: true } })).toBe('> sandbox > hello | ')
  })

  it('prints a call that waits for a person when nothing runs, and again when it has ended', () => {
    const print = printer()
    expect(print([call('a', 'asked')], { isIdle: true })).toBe('the start a.txt | ')
    expect(print([call('a', 'asked'), call('b', 'done')])).toBe('b.txt | ')
    expect(print([call('a', 'done'), call('b', 'done')])).toBe('a.txt | ')
  })

  it('waits with a call that an interruption left, until that is known of it', () => {
    const print = printer()
    expect(print([call('a', 'running')], { isIdle: true })).toBe('the start | a.txt')
    expect(print([call('a', 'interrupted')], { isIdle: true })).toBe('a.txt | ')
  })

  it('leaves a call to the question about it, and prints nothing behind it until it has ended', () => {
    const print = printer()
    const waiting = call('a', 'asked')
    expect(print([waiting, call('b', 'done')], { asked: [waiting.key] })).toBe('the start | b.txt')
    expect(print([call('a', 'done'), call('b', 'done')])).toBe('a.txt b.txt | ')
  })

  it('shows a session again that someone comes back to', () => {
    const print = printer()
    print([said('hello')])
    expect(print([said('other')], { session: 'o' })).toBe('the start > other | ')
    expect(print([said('hello')])).toBe('the start > hello | ')
  })
})

/** A terminal that keeps what is written. */
function keepingTerminal(): Terminal & { readonly written: () => string } {
  const kept: string[] = []
  return {
    start: () => undefined,
    stop: () => undefined,
    drainInput: () => Promise.resolve(),
    write: (text) => void kept.push(text),
    columns: 80,
    rows: 24,
    kittyProtocolActive: false,
    moveBy: () => undefined,
    hideCursor: () => undefined,
    showCursor: () => undefined,
    clearLine: () => undefined,
    clearFromCursor: () => undefined,
    clearScreen: () => undefined,
    setTitle: () => undefined,
    setProgress: () => undefined,
    written: () => kept.join(''),
  }
}

describe('an inline screen that another one was shown in front of', () => {
  it('is drawn again, also if a frame was due at the moment when it made way', async () => {
    const terminal = keepingTerminal()
    let frame = 'first'
    const inline = new InlineTui(terminal, () => ({ settled: [], live: [frame] }))
    inline.start()
    await vi.waitFor(() => expect(terminal.written()).toContain('first'))
    inline.requestRender()
    // The frame is now due a little later.
    await new Promise(process.nextTick)
    inline.makeWay(() => undefined)
    inline.comeBack()
    frame = 'second'
    await vi.waitFor(() => expect(terminal.written()).toContain('second'))
    frame = 'third'
    inline.requestRender()
    await vi.waitFor(() => expect(terminal.written()).toContain('third'))
    inline.stop({ preserveScreen: true })
  })
})

describe('the app in the terminal of its shell', () => {
  it('keeps what the terminal showed, leaves each row once in its scrollback, and goes without a trace of its line', async () => {
    const app = await openApp({ files: { 'a.txt': 'one\n' }, rows: 24 })
    await app.until(READY)
    for (let at = 1; at <= 3; at++) {
      await app.send(`run_shell cmd='seq -f "row ${at}-%g" 1 12'`)
      await app.until(new RegExp(`│ row ${at}-12\\n`))
    }
    await app.press('C-d')
    await app.until(/left session cli/)
    const all = await app.history()
    expect(all.match(/│ row \d-\d+$/gm)).toHaveLength(36)
    expect(all.match(/tongs \d+\.\d+\.\d+ /gm)).toHaveLength(1)
    expect(all).not.toMatch(/──────|\/help +ask/)
    await app.send(`'${TONGS}' --root . --session other`)
    await app.until(/left session cli[^]*Type a call, such as/)
  })

  it('draws itself anew at another width, and leaves what was printed alone', async () => {
    const app = await openApp({ files: { 'a.txt': 'one\n' } })
    await app.until(READY)
    await app.send('read_file path=a.txt')
    await app.until(/✓ read_file a\.txt/)
    for (const [columns, rows] of [
      [60, 30],
      [120, 40],
      [70, 20],
    ] as const) {
      await app.resize(columns, rows)
      await app.until(new RegExp(`^─{${columns}}\\n\\n─{${columns}}\\n /help .*cli$`, 'm'))
    }
    const all = await app.history()
    // What the terminal had wrapped, it may join with the next row.
    expect(all.match(/^─+$/gm)).toEqual(['─'.repeat(70), '─'.repeat(70)])
    expect(all.match(/ {2}│ one$/gm)).toHaveLength(1)
  })

  it('shows its first rows once if the terminal gets narrower while the sandbox is still looked up', async () => {
    const app = await openApp()
    await app.until(READY)
    await app.resize(60, 30)
    await app.until(/sandbox {2}(?!checking)[^]*^─{60}\n\n─{60}\n/m)
    const all = await app.history()
    expect(all.match(/^ tongs \d/gm)).toHaveLength(1)
    expect(all.match(/^─+$/gm)).toHaveLength(2)
  })

  it('sends what was typed with Enter before it was ready', async () => {
    const app = await openApp({ files: { 'a.txt': 'one\n' } })
    await app.send('read_file path=a.txt')
    await app.until(/✓ read_file a\.txt/)
    await app.press('C-j')
    await app.type('below')
    await app.until(/^\n below$/m)
  })

  it('Tab, PgUp and Ctrl-P look back on a screen of their own, Esc leads back, and nothing else ends', async () => {
    const app = await openApp({ files: { 'a.txt': 'one\n' } })
    await app.until(READY)
    await app.send('read_file path=a.txt')
    await app.until(/✓ read_file a\.txt/)
    for (const key of ['PageUp', 'C-p', 'Tab']) {
      await app.press(key)
      await app.until(/^ Esc goes back/m)
      await app.press('Escape')
      await app.until(/^ \/help/m)
    }
    expect((await app.history()).match(/✓ read_file a\.txt/g)).toHaveLength(1)
    await app.send('/clear')
    await app.until(/^\s*─+\n/)
    expect(await app.screen()).not.toContain('read_file')
  })

  it('draws on a full screen if it is told to, and gives the terminal back', async () => {
    const app = await openApp({ words: '--set ui.screen=full', rows: 24 })
    const shown = await app.until(READY)
    expect(shown.trimEnd().split('\n')).toHaveLength(24)
    await app.press('C-d')
    expect(await app.until(/left session cli/)).not.toMatch(READY)
  })
})
