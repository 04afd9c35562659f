import { expect, it } from 'vitest'
import { createLineDialogs } from '../../../src/faces/tui/plain/line-dialogs.ts'
import { createPaint } from '../../../src/terminal/paint.ts'
import { requestOf } from '../../harness/sample-request.ts'

it('in plain lines, what was typed ahead answers none of the questions that follow', async () => {
  const typed: string[] = []
  const lines = {
    next: () => Promise.resolve(typed.shift() ?? null),
    nextUnseen: () => Promise.resolve(null),
    settle: async () => {
      typed.length = 0
    },
    close: () => undefined,
  }
  let asked = 0
  const print = (text: string): void => {
    // A burst of answers as soon as the first question stands there.
    if (text.includes('o = once') && (asked += 1) === 1) typed.push('o', 'o', 'o')
  }
  const { signal } = new AbortController()
  const dialogs = createLineDialogs(
    lines,
    print,
    () => ({ columns: 80, paint: createPaint(false) }),
    () => signal,
  )
  const requests = ['first', 'second'].map((id) => requestOf({ id }))
  expect(await dialogs.approval(requests, { signal, grantSeconds: 60 }, () => undefined)).toBe('later')
  expect(asked).toBe(2)
})
