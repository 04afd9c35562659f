import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { QUIET_MS } from '../../../src/config/fixed-values.ts'
import { ANSWERING_KEYS, OTHER_KEYS } from '../../../src/faces/tui/sheets/approval-sheet.ts'
import { createSheetStack } from '../../../src/faces/tui/sheets/sheet.ts'

/** A sheet with several questions: the next one stands there as soon as one is answered. */
function openQuestions(): {
  readonly answers: string[]
  readonly press: (key: string, text?: string) => void
} {
  const answers: string[] = []
  const stack = createSheetStack(() => undefined)
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
    const stack = createSheetStack(() => undefined)
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
    const stack = createSheetStack(() => undefined)
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
    const stack = createSheetStack(() => undefined)
    const keys = { deciding: ANSWERING_KEYS, harmless: OTHER_KEYS }
    stack.open({ draw: () => [], press: (key) => answers.push(key), ...keys })
    vi.advanceTimersByTime(2 * QUIET_MS)
    stack.press('n', 'n')
    vi.advanceTimersByTime(betweenMs)
    stack.press('o', 'o')
    vi.advanceTimersByTime(2 * QUIET_MS)
    expect(answers).not.toContain('o')
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
})
