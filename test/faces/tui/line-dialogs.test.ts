import { expect, it } from 'vitest'
import { createLineDialogs } from '../../../src/faces/tui/plain/line-dialogs.ts'
import type { TypedLines } from '../../../src/faces/tui/plain/typed-lines.ts'
import { createPaint } from '../../../src/terminal/paint.ts'
import { requestOf } from '../../harness/sample-request.ts'

const ALL_OF_IT = { kind: 'tool' } as const

it('in plain lines, what was typed ahead answers none of the questions that follow', async () => {
  const typed: string[] = []
  const lines = {
    next: () => Promise.resolve(typed.shift() ?? null),
    nextUnseen: () => Promise.resolve(null),
    settle: async () => typed.splice(0).length > 0,
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
  expect(asked).toBe(1)
})

/** The lines of a terminal on which each of these comes at once. */
function cameAtOnce(...bursts: (readonly string[])[]): TypedLines {
  let unread: string[] = []
  return {
    next: () => {
      if (unread.length === 0) unread = [...(bursts.shift() ?? [])]
      return Promise.resolve(unread.shift() ?? null)
    },
    nextUnseen: () => Promise.resolve(null),
    settle: async () => unread.splice(0).length > 0,
    close: () => undefined,
  }
}

function dialogsOn(lines: TypedLines, printed: string[] = []) {
  return createLineDialogs(
    lines,
    (text) => printed.push(text),
    () => ({ columns: 200, paint: createPaint(false) }),
    () => new AbortController().signal,
  )
}

it.each([
  ['o in the middle', ['please use a', 'list like', 'o', 'item']],
  ['o at its beginning', ['o', 'item']],
  ['a grant', ['a list:', 'g1', 't1']],
  ['hunks', ['choose', 's 1', 'of these']],
])('in plain lines, pasted text with %s answers nothing', async (_, pasted) => {
  const printed: string[] = []
  const { approval } = dialogsOn(cameAtOnce(pasted), printed)
  const { signal } = new AbortController()
  const asked = [requestOf({ scopes: [{ scope: ALL_OF_IT, sentence: 'all' }] })]
  expect(await approval(asked, { signal, grantSeconds: 60 }, () => undefined)).toBe('later')
  expect(printed).toContain('Several lines came at once, so none of them counts.')
  expect(await dialogsOn(cameAtOnce(['y', 'o'])).confirmation({ title: 'Sure?', rows: [] })).toBe(false)
  const ended = { text: null, calls: [], edits: null }
  expect(await dialogsOn(cameAtOnce(['d', 'x'])).recovery(ended)).toBeNull()
  expect(
    await dialogsOn(cameAtOnce(pasted, ['o'])).approval(asked, { signal, grantSeconds: 60 }, () => undefined),
  ).toEqual(['once'])
})

it.each(['o no, wait', 'once more?', 'oo', 'o 1'])('in plain lines, %j is no yes', async (line) => {
  const typed = [line]
  const lines = {
    next: () => Promise.resolve(typed.shift() ?? null),
    nextUnseen: () => Promise.resolve(null),
    settle: () => Promise.resolve(false),
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

it.each([
  ['s 1 3', { answer: 'once', hunks: [1, 3] }],
  ['h 2', { answer: 'once', hunks: [2] }],
  ['g1', { answer: 'scope', scope: ALL_OF_IT }],
])('in plain lines, %s is answered as in the dialog of the screen', async (line, answer) => {
  const typed = [line]
  const lines = {
    next: () => Promise.resolve(typed.shift() ?? null),
    nextUnseen: () => Promise.resolve(null),
    settle: () => Promise.resolve(false),
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

it.each([
  ['no', 'deny'],
  ['n', 'deny'],
  ['d', 'deny'],
  ['no, use b.txt', { answer: 'deny', say: 'use b.txt' }],
  ['n use b.txt', { answer: 'deny', say: 'use b.txt' }],
  ['yes', 'once'],
])('in plain lines, %j is one answer, so that nothing typed later is', async (line, answer) => {
  const { signal } = new AbortController()
  const { approval } = dialogsOn(cameAtOnce([line], ['o']))
  expect(await approval([requestOf()], { signal, grantSeconds: 60 }, () => undefined)).toEqual([answer])
})

it('in plain lines, what a model had said or named begins no row of its own', async () => {
  const rows: string[] = []
  const lines = {
    next: () => Promise.resolve(null),
    nextUnseen: () => Promise.resolve(null),
    settle: () => Promise.resolve(false),
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
