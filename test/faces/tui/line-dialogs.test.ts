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

it.each(['o', 'g1', 't1', 's 1'])(
  'in plain lines, a pasted block is no answer by one of its lines: %s',
  async (answer) => {
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
      if (text.includes('o = once') && (asked += 1) === 1) typed.push('please use a', answer, 'of these')
    }
    const { signal } = new AbortController()
    const dialogs = createLineDialogs(
      lines,
      print,
      () => ({ columns: 80, paint: createPaint(false) }),
      () => signal,
    )
    const request = requestOf({ scopes: [{ scope: { kind: 'tool' }, sentence: 'It may run.' }] })
    expect(await dialogs.approval([request], { signal, grantSeconds: 60 }, () => undefined)).toBe('later')
    expect(asked).toBe(2)
  },
)

it.each(['o no, wait', 'once more?', 'oo', 'o 1'])('in plain lines, %j is no yes', async (line) => {
  const typed = [line]
  const lines = {
    next: () => Promise.resolve(typed.shift() ?? null),
    nextUnseen: () => Promise.resolve(null),
    settle: () => Promise.resolve(),
    close: () => undefined,
  }
  const { signal } = new AbortController()
  const dialogs = createLineDialogs(
    lines,
    () => undefined,
    () => ({ columns: 80, paint: createPaint(false) }),
    () => signal,
  )
  expect(await dialogs.approval([requestOf()], { signal, grantSeconds: 60 }, () => undefined)).toBe('later')
})

const ALL_OF_IT = { kind: 'tool' } as const

it.each([
  ['s 1 3', { answer: 'once', hunks: [1, 3] }],
  ['h 2', { answer: 'once', hunks: [2] }],
  ['g1', { answer: 'scope', scope: ALL_OF_IT }],
])('in plain lines, %s is answered as in the dialog of the screen', async (line, answer) => {
  const typed = [line]
  const lines = {
    next: () => Promise.resolve(typed.shift() ?? null),
    nextUnseen: () => Promise.resolve(null),
    settle: () => Promise.resolve(),
    close: () => undefined,
  }
  const { signal } = new AbortController()
  const dialogs = createLineDialogs(
    lines,
    () => undefined,
    () => ({ columns: 80, paint: createPaint(false) }),
    () => signal,
  )
  const diff = [
    '--- a/f',
    '+++ b/f',
    '@@ -1 +1 @@',
    '-a',
    '+b',
    '@@ -9 +9 @@',
    '-c',
    '+d',
    '@@ -19 +19 @@',
    '-e',
    '+f',
  ].join('\n')
  const asked = [
    requestOf({ diff, hunks: { lines: [2, 5, 8] }, scopes: [{ scope: ALL_OF_IT, sentence: 'all' }] }),
  ]
  expect(await dialogs.approval(asked, { signal, grantSeconds: 60 }, () => undefined)).toEqual([answer])
})

it('in plain lines, what a model had said or named begins no row of its own', async () => {
  const rows: string[] = []
  const lines = {
    next: () => Promise.resolve(null),
    nextUnseen: () => Promise.resolve(null),
    settle: () => Promise.resolve(),
    close: () => undefined,
  }
  const { recovery } = createLineDialogs(
    lines,
    (text) => rows.push(...text.split('\n')),
    () => ({ columns: 200, paint: createPaint(false) }),
    () => new AbortController().signal,
  )
  const call = { id: 'c1', execution: 'e1', name: 'none\nFORGED', status: 'received', evidence: 'it\nFORGED' }
  const asked = { text: 'I go on.\nFORGED: d = keep everything', calls: [call], edits: null }
  expect(await recovery(asked as unknown as Parameters<typeof recovery>[0])).toBeNull()
  expect(rows.join('\n')).toContain('FORGED')
  expect(rows.filter((row) => row.startsWith('FORGED'))).toEqual([])
})
