import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Recovery } from '../../../src/agent/conversation.ts'
import { QUIET_MS } from '../../../src/config/fixed-values.ts'
import { createSheetDialogs } from '../../../src/faces/tui/sheets/sheet-dialogs.ts'
import { createSheetStack } from '../../../src/faces/tui/sheets/sheet.ts'
import type { SheetStack } from '../../../src/faces/tui/sheets/sheet.ts'
import type { Dialogs } from '../../../src/faces/tui/sheets/dialogs.ts'
import { createPaint } from '../../../src/terminal/paint.ts'

const SAID = `I edit. r = resume with what finished, d = discard all of it. ${'x'.repeat(40)}`
const INTERRUPTED: Recovery = {
  text: SAID,
  calls: [
    { execution: 'e1', id: '1', name: 'write_file', status: 'finished', evidence: 'x1.txt is in place.' },
    { execution: 'e2', id: '2', name: 'write_file', status: 'finished', evidence: 'x2.txt is in place.' },
    { execution: 'e3', id: '3', name: 'run_shell', status: 'in_doubt', evidence: 'No end is on record.' },
  ],
  edits: { says: '2 edits of one message: 2 in place (x1.txt, x2.txt).', inPlace: ['e2', 'e1'] },
}
const LONG = Array.from({ length: 30 }, (_, at) => `file-${at}.txt: removed`)

/** Every sheet that decides something but an approval, with the key that does. */
const SHEETS: readonly (readonly [string, string, (dialogs: Dialogs) => Promise<unknown>, unknown])[] = [
  ['a recovery', 'd', (dialogs) => dialogs.recovery(INTERRUPTED), 'discard'],
  ['an undo', 'y', (dialogs) => dialogs.confirmation({ title: 'Undo this?', rows: LONG }), true],
]

/** A screen that shows the sheets as they change; `at` is its size. */
class Screen {
  readonly stack: SheetStack = createSheetStack(() => this.draw())
  rows: readonly string[] = []
  at = { columns: 34, height: 10 }

  draw(): void {
    const canvas = {
      columns: this.at.columns,
      paint: createPaint(false),
      now: 0,
      isStill: true,
      isAscii: false,
    }
    this.rows = this.stack.top()?.draw(canvas, this.at.height, this.stack.acceptsKeys()) ?? []
  }

  resize(columns: number, height: number): void {
    this.at = { columns, height }
    this.draw()
  }

  /** Presses a key and lets time pass, as a person does. */
  async press(key: string): Promise<void> {
    this.stack.press(key, key.length === 1 ? key : '')
    await vi.advanceTimersByTimeAsync(4 * QUIET_MS)
  }
}

/** Opens a sheet; `answer` has what was decided by then. */
async function show(ask: (dialogs: Dialogs) => Promise<unknown>, columns: number, height: number) {
  const screen = new Screen()
  screen.at = { columns, height }
  const decided: unknown[] = []
  void ask(createSheetDialogs(screen.stack)).then((answer) => decided.push(answer))
  await vi.advanceTimersByTimeAsync(4 * QUIET_MS)
  return { screen, decided }
}

describe.each(SHEETS)('the sheet of %s', (_name, key, ask, answer) => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('is decided at once where all of it fits', async () => {
    const { screen, decided } = await show(ask, 100, 60)
    expect(screen.rows.join('\n')).not.toContain('PgDn')
    await screen.press(key)
    expect(decided).toEqual([answer])
  })

  it('is decided by no key while a row of it has not been on the screen', async () => {
    const { screen, decided } = await show(ask, 34, 10)
    const read = new Set(screen.rows.slice(0, -1))
    expect(screen.rows).toHaveLength(10)
    expect(screen.rows.at(-1)).toMatch(/^ … [1-9]\d* below, 0 above: PgDn/)
    for (let page = 0; page < 20 && !/ 0 below/.test(screen.rows.at(-1) ?? ''); page++) {
      await screen.press(key)
      expect(screen.rows.at(-1)).toMatch(/read all first: PgDn/)
      await screen.press('pageDown')
      for (const row of screen.rows.slice(0, -1)) read.add(row)
    }
    expect(decided).toEqual([])
    for (const { name } of INTERRUPTED.calls)
      if (answer === 'discard') expect([...read].join('\n')).toContain(name)
    if (answer === true) expect([...read].join('\n')).toContain('file-17.txt: removed')
    await screen.press(key)
    expect(decided).toEqual([answer])
  })

  it('is decided by no key if the window became too small before it was read', async () => {
    const { screen, decided } = await show(ask, 34, 10)
    for (const [columns, height] of [
      [34, 1],
      [10, 12],
      [34, 4],
    ] as const) {
      screen.resize(columns, height)
      expect(screen.rows.length).toBeLessThanOrEqual(height)
      await screen.press(key)
    }
    await screen.press('end')
    await screen.press(key)
    expect(decided).toEqual([])
    await screen.press('escape')
    expect(decided).toEqual([answer === true ? false : null])
  })

  it('has to be read again where it is narrower', async () => {
    const { screen, decided } = await show(ask, 100, 60)
    screen.resize(33, 8)
    await screen.press(key)
    expect(decided).toEqual([])
  })
})

describe('the words of a model in the sheet of a recovery', () => {
  it('stand behind a bar, and its name for a tool is one word', async () => {
    vi.useFakeTimers()
    try {
      const [first] = INTERRUPTED.calls
      const named = { ...INTERRUPTED, calls: first === undefined ? [] : [{ ...first, name: 'x  d discard' }] }
      const { screen } = await show((dialogs) => dialogs.recovery(named), 40, 40)
      const at = screen.rows.indexOf(' The model had said:')
      const barred = screen.rows.filter((row) => /^ {2}[│┊] /.test(row))
      expect(screen.rows[at + 1]).toMatch(/^ {2}│ I edit/)
      expect(barred.map((row) => row.slice(4)).join('')).toBe(SAID)
      expect(screen.rows.join('\n')).toContain('"x  d discard"')
    } finally {
      vi.useRealTimers()
    }
  })
})
