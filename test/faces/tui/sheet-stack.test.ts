import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { QUIET_MS } from '../../../src/config/fixed-values.ts'
import { ANSWERING_KEYS, ANSWERING_LINE, OTHER_KEYS } from '../../../src/faces/tui/sheets/approval-sheet.ts'
import { createSheetStack } from '../../../src/faces/tui/sheets/sheet.ts'
import type { SheetStack } from '../../../src/faces/tui/sheets/sheet.ts'
import { createPaint } from '../../../src/terminal/paint.ts'

const CANVAS = { columns: 80, paint: createPaint(false), now: 0, isStill: true, isAscii: false }

function drawTop(stack: SheetStack): void {
  stack.top()?.draw(CANVAS, 20, stack.acceptsKeys())
}

/** A stack that is drawn whenever it changes, as on a screen. */
function createDrawnStack(): SheetStack {
  const stack: SheetStack = createSheetStack(() => drawTop(stack))
  return stack
}

/** A sheet with several questions: the next one stands there as soon as one is answered. */
function openQuestions(): {
  readonly answers: string[]
  readonly press: (key: string, text?: string) => void
} {
  const answers: string[] = []
  const stack = createDrawnStack()
  stack.open({
    draw: () => [],
    press: (key) => answers.push(key),
    deciding: new Set(['o']),
    harmless: new Set(['j']),
  })
  return { answers, press: (key, text = key) => stack.press(key, text) }
}

describe('a key that answers', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('answers one question, however long it is held', () => {
    const { answers, press } = openQuestions()
    vi.advanceTimersByTime(2 * QUIET_MS)
    for (let at = 0; at < 60; at++) {
      press('o')
      vi.advanceTimersByTime(35)
    }
    expect(answers).toEqual(['o'])
  })

  it.each([200, 400, 500, 600, 660, 900, 2000])(
    'answers one question if it is held and repeats after %i ms',
    (firstMs) => {
      const { answers, press } = openQuestions()
      vi.advanceTimersByTime(2 * QUIET_MS)
      press('o')
      vi.advanceTimersByTime(firstMs)
      for (let at = 0; at < 60; at++) {
        press('o')
        vi.advanceTimersByTime(40)
      }
      vi.advanceTimersByTime(2000)
      expect(answers).toEqual(['o'])
    },
  )

  it('answers nothing in the next dialog if it is still held', () => {
    const answers: string[] = []
    const stack = createDrawnStack()
    const open = (name: string): void => {
      const close = stack.open({
        draw: () => [],
        press: () => {
          answers.push(name)
          close()
          if (answers.length < 3) open('next')
        },
        deciding: new Set(['o']),
        harmless: new Set(),
      })
    }
    open('first')
    vi.advanceTimersByTime(2 * QUIET_MS)
    stack.press('o', 'o')
    vi.advanceTimersByTime(660)
    for (let at = 0; at < 60; at++) {
      stack.press('o', 'o')
      vi.advanceTimersByTime(40)
    }
    vi.advanceTimersByTime(2000)
    expect(answers).toEqual(['first'])
  })

  it.each(['down', 'up', 'left', 'right', 'enter', 'backspace', 'tab', 'pageDown'])(
    'does not count if %s follows at once, because that may lead to another question',
    (key) => {
      const { answers, press } = openQuestions()
      vi.advanceTimersByTime(2 * QUIET_MS)
      press('o')
      vi.advanceTimersByTime(50)
      press(key, '')
      vi.advanceTimersByTime(2 * QUIET_MS)
      expect(answers).toEqual([key])
    },
  )

  it('counts at once in a list that the user has just opened, and in nothing that comes on top of it', () => {
    const typed: string[] = []
    const answers: string[] = []
    const stack = createDrawnStack()
    const NONE: ReadonlySet<string> = new Set()
    const list = { draw: () => [], deciding: NONE, harmless: NONE, takesText: () => true }
    stack.open({ ...list, press: (key) => typed.push(key), isExpected: true })
    stack.press('a', 'a')
    stack.open({
      draw: () => [],
      press: (key) => answers.push(key),
      deciding: new Set(['o']),
      harmless: NONE,
    })
    stack.press('o', 'o')
    vi.advanceTimersByTime(QUIET_MS)
    expect([typed, answers]).toEqual([['a'], []])
  })

  it.each([50, 180, 300, 500])('is no yes %i ms after an n: who types "no" means a no', (betweenMs) => {
    const answers: string[] = []
    const stack = createDrawnStack()
    const keys = { deciding: ANSWERING_KEYS, harmless: OTHER_KEYS }
    stack.open({ draw: () => [], press: (key) => answers.push(key), ...keys })
    vi.advanceTimersByTime(2 * QUIET_MS)
    stack.press('n', 'n')
    vi.advanceTimersByTime(betweenMs)
    stack.press('o', 'o')
    vi.advanceTimersByTime(2 * QUIET_MS)
    expect(answers).not.toContain('o')
  })

  it('is Enter behind a line, if no other key follows at once: of pasted lines none is an answer', () => {
    const taken: string[] = []
    const stack = createDrawnStack()
    const keys = { deciding: ANSWERING_LINE, harmless: 'all' } as const
    stack.open({ draw: () => [], press: (key) => taken.push(key), ...keys })
    vi.advanceTimersByTime(2 * QUIET_MS)
    for (const key of ['o', 'enter', 'x', 'o']) stack.press(key, key === 'enter' ? '' : key)
    vi.advanceTimersByTime(2 * QUIET_MS)
    expect(taken).toEqual(['o'])
    for (const key of ['n', 'o', 'enter']) {
      vi.advanceTimersByTime(5000)
      stack.press(key, key === 'enter' ? '' : key)
    }
    vi.advanceTimersByTime(2 * QUIET_MS)
    expect(taken).toEqual(['o', 'n', 'o', 'enter'])
  })

  it('answers again soon after another key, which no key that is held lets through', () => {
    const { answers, press } = openQuestions()
    vi.advanceTimersByTime(2 * QUIET_MS)
    press('o')
    vi.advanceTimersByTime(200 + QUIET_MS)
    press('j')
    press('o')
    vi.advanceTimersByTime(2 * QUIET_MS)
    expect(answers).toEqual(['o', 'j', 'o'])
  })

  it('answers the next one once it was let go', () => {
    const { answers, press } = openQuestions()
    for (let at = 0; at < 2; at++) {
      vi.advanceTimersByTime(2 * QUIET_MS)
      press('o')
      vi.advanceTimersByTime(2 * QUIET_MS)
    }
    expect(answers).toEqual(['o', 'o'])
  })

  it.each([400, 500, 549])(
    'answers nothing in a dialog that follows an answer, %i ms after it: its keys are not on the screen yet',
    (betweenMs) => {
      const answers: string[] = []
      const stack = createDrawnStack()
      const ask = (name: string): (() => void) =>
        stack.open({
          draw: () => [],
          press: (key) => {
            answers.push(`${name} ${key}`)
            close()
            if (name === 'first') close = ask('next')
          },
          deciding: ANSWERING_KEYS,
          harmless: OTHER_KEYS,
        })
      let close = ask('first')
      vi.advanceTimersByTime(2 * QUIET_MS)
      stack.press('n', 'n')
      vi.advanceTimersByTime(200 + betweenMs)
      stack.press('y', 'y')
      vi.advanceTimersByTime(5000)
      expect(answers).toEqual(['first n'])
      stack.press('y', 'y')
      vi.advanceTimersByTime(5000)
      expect(answers).toEqual(['first n', 'next y'])
    },
  )

  it('answers nothing in a dialog that was not drawn yet, however long ago it was asked for', () => {
    const answers: string[] = []
    const stack = createSheetStack(() => undefined)
    stack.open({
      draw: () => [],
      press: (key) => answers.push(key),
      deciding: ANSWERING_KEYS,
      harmless: OTHER_KEYS,
    })
    vi.advanceTimersByTime(5000)
    stack.press('y', 'y')
    vi.advanceTimersByTime(5000)
    expect(answers).toEqual([])
    drawTop(stack)
    stack.press('y', 'y')
    vi.advanceTimersByTime(5000)
    expect(answers).toEqual(['y'])
  })
})
