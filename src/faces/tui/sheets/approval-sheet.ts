import type { ApprovalAnswer, ApprovalAnswers, OfferedScope } from '../../../core/approval.ts'
import { isAboutResults } from '../../../terminal/approval-screen.ts'
import { choosableHunks, readHunkList } from '../../../terminal/hunk-choice.ts'
import { meantAt, scopeOf } from './approval-state.ts'
import type { ApprovalSheet } from './approval-state.ts'
import { readTypedAnswer } from './typed-answer.ts'

/** The outcome of a key. */
export type AfterKey =
  | { readonly is: 'open'; readonly sheet: ApprovalSheet }
  | { readonly is: 'answered'; readonly answers: ApprovalAnswers }

const WORDS_CHARS = 500

/** Letters that answer; also `n`, which is what one types for a no, so that the `o` after it is no yes. */
export const ANSWERING_KEYS: ReadonlySet<string> = new Set(['o', 'y', 's', 'h', 't', 'g', 'd', 'n', 'l'])

/** Of several questions, a letter would answer one after the other of them with the letters of a word, so Enter answers. */
export const ANSWERING_LINE: ReadonlySet<string> = new Set(['enter'])

/** Other letters with a meaning. */
export const OTHER_KEYS: ReadonlySet<string> = new Set(['a', 'w', 'j', 'k', 'space', '?', 'shift+/'])

/** Handles a key; text counts only while a reason or a list is typed. */
export function pressApproval(sheet: ApprovalSheet, key: string, text: string): AfterKey {
  if (sheet.words !== null) return typeWords(sheet, sheet.words, key, text)
  if (sheet.hunks !== null) return typeHunks(sheet, sheet.hunks, key, text)
  return sheet.requests.length === 1 ? pressKey(sheet, key) : typeLine(sheet, key, text)
}

function pressKey(sheet: ApprovalSheet, key: string): AfterKey {
  const quiet = { ...sheet, hint: null }
  switch (key) {
    case 'up':
    case 'k':
      return open(sheet.isWhole ? scroll(quiet, -1) : goTo(quiet, sheet.at - 1))
    case 'down':
    case 'j':
      return open(sheet.isWhole ? scroll(quiet, 1) : goTo(quiet, sheet.at + 1))
    case 'left':
      return open(goTo(quiet, sheet.at - 1))
    case 'right':
      return open(goTo(quiet, sheet.at + 1))
    case 'pageUp':
      return open(scroll(quiet, -sheet.page))
    case 'pageDown':
      return open(scroll(quiet, sheet.page))
    case 'home':
      return open({ ...quiet, top: 0 })
    case 'end':
      // Drawing knows how many rows there are.
      return open({ ...quiet, top: Infinity })
    case 'tab':
      return open({ ...quiet, isWhole: !sheet.isWhole, top: 0 })
    case '?':
    case 'shift+/':
      return open({ ...quiet, isExplained: !sheet.isExplained, top: 0 })
    case 'space':
      return open({ ...quiet, chosen: toggled(sheet.chosen, sheet.at) })
    case 'a':
      return open({
        ...quiet,
        chosen: new Set([...sheet.requests.keys()].filter((at) => !isDenied(sheet, at))),
      })
    case 'n':
      return sheet.requests.length === 1 ? deny(quiet) : open({ ...quiet, chosen: new Set() })
    case 'o':
    case 'y':
      return approve(quiet, () => 'once')
    case 's':
    case 'h': {
      const request = sheet.requests[sheet.at]
      if (request !== undefined && choosableHunks(request) > 0) return open({ ...quiet, hunks: '' })
      return open({ ...quiet, hint: ONLY_WHOLE })
    }
    case 't':
      return approveForLonger(quiet, ({ scope }) => ({
        answer: 'duration',
        seconds: sheet.grantSeconds,
        scope,
      }))
    case 'g':
      return approveForLonger(quiet, ({ scope }) => ({ answer: 'scope', scope }))
    case 'w':
      return open(widen(quiet))
    case 'd':
      return deny(quiet)
    case 'l':
      return { is: 'answered', answers: 'later' }
    default:
      return open(quiet)
  }
}

/** Asks for a reason for the model, unless no call was denied. */
function deny(sheet: ApprovalSheet): AfterKey {
  return isAboutResults(sheet.requests) ? answer(sheet, () => 'deny') : open({ ...sheet, words: '' })
}

function open(sheet: ApprovalSheet): AfterKey {
  return { is: 'open', sheet }
}

function scroll(sheet: ApprovalSheet, rows: number): ApprovalSheet {
  return { ...sheet, top: Math.max(0, sheet.top + rows) }
}

function goTo(sheet: ApprovalSheet, at: number): ApprovalSheet {
  const next = Math.max(0, Math.min(sheet.requests.length - 1, at))
  return next === sheet.at ? sheet : { ...sheet, at: next, top: 0, seen: { columns: 0, rows: 0 } }
}

/** What was answered with no is not selected with the rest: a yes to all others is not meant for it. */
function isDenied({ answers }: ApprovalSheet, at: number): boolean {
  const given = answers.get(at)
  return given === 'deny' || (typeof given === 'object' && given.answer === 'deny')
}

function toggled(chosen: ReadonlySet<number>, at: number): ReadonlySet<number> {
  const next = new Set(chosen)
  if (!next.delete(at)) next.add(at)
  return next
}

/** The selected questions, or else the current one. */
function targetsOf({ chosen, at }: ApprovalSheet): readonly number[] {
  return chosen.size === 0 ? [at] : [...chosen].toSorted((one, other) => one - other)
}

function widen(sheet: ApprovalSheet): ApprovalSheet {
  const count = sheet.requests[sheet.at]?.scopes.length ?? 0
  if (count === 0) return { ...sheet, hint: ONLY_ONCE }
  const next = (meantAt(sheet, sheet.at) + 1) % count
  return {
    ...sheet,
    scopes: new Map([...sheet.scopes, [sheet.at, next]]),
    // Its sentence may go on below the call, where it has not been read.
    top: 0,
    seen: { columns: 0, rows: 0 },
  }
}

const ONLY_WHOLE = 'There are no hunks to choose from: this is taken as a whole.'
const ONLY_ONCE = 'This can only be allowed once.'
const UNREAD_HERE = 'Read first what this would allow: Tab shows all, PgDn scrolls to it.'
const UNREAD_THERE = 'Read first what this would allow for this question, then press the key again.'

/** Approves for longer than once. */
function approveForLonger(
  sheet: ApprovalSheet,
  answerFor: (offered: OfferedScope) => ApprovalAnswer,
): AfterKey {
  const targets = targetsOf(sheet)
  const without = targets.find((index) => scopeOf(sheet, index) === null)
  if (without !== undefined) return open({ ...goTo(sheet, without), hint: ONLY_ONCE })
  // The screen shows one sentence at a time, and a grant reaches as far as its own.
  const unread = targets.find((index) => sheet.offersSeen.get(index) !== meantAt(sheet, index))
  if (unread !== undefined && !sheet.isCramped)
    return open({ ...goTo(sheet, unread), hint: unread === sheet.at ? UNREAD_HERE : UNREAD_THERE })
  return approve(sheet, (index) => {
    const offered = scopeOf(sheet, index)
    return offered === null ? 'once' : answerFor(offered)
  })
}

type AnswerTo = (index: number) => ApprovalAnswer

/** Approves; high-risk calls must have been seen in full. */
function approve(sheet: ApprovalSheet, answerTo: AnswerTo): AfterKey {
  // The screen says so already.
  if (sheet.isCramped) return open(sheet)
  const unseen = targetsOf(sheet).find(
    (index) => sheet.requests[index]?.risk === 'High' && !sheet.shown.has(index),
  )
  if (unseen !== undefined) {
    const which = sheet.requests.length === 1 ? 'it' : `question ${unseen + 1}`
    return open({
      ...goTo(sheet, unseen),
      hint: `High risk: read all of ${which} first. Tab shows it in full, PgDn scrolls.`,
    })
  }
  return answer(sheet, answerTo)
}

function answer(sheet: ApprovalSheet, answerTo: AnswerTo): AfterKey {
  const answers = new Map(sheet.answers)
  for (const index of targetsOf(sheet)) {
    const request = sheet.requests[index]
    if (request !== undefined) answers.set(index, answerTo(index))
  }
  const next = sheet.requests.findIndex((_, index) => !answers.has(index))
  if (next === -1)
    return { is: 'answered', answers: sheet.requests.map((_, index) => answers.get(index) ?? 'deny') }
  return open(goTo({ ...sheet, answers, chosen: new Set() }, next))
}

function typeWords(sheet: ApprovalSheet, words: string, key: string, text: string): AfterKey {
  switch (key) {
    case 'enter': {
      const say = words.trim()
      return answer({ ...sheet, words: null }, () => (say === '' ? 'deny' : { answer: 'deny', say }))
    }
    case 'escape':
      return open({ ...sheet, words: null })
    case 'backspace':
      return open({ ...sheet, words: [...words].slice(0, -1).join('') })
    case 'ctrl+u':
      return open({ ...sheet, words: '' })
    default:
      return open({ ...sheet, words: (words + text).slice(0, WORDS_CHARS) })
  }
}

/** With several questions, letters are a line; other keys act at once, as do those that answer nothing before it. */
function typeLine(sheet: ApprovalSheet, key: string, text: string): AfterKey {
  const { line } = sheet
  if (key === 'enter') return giveLine({ ...sheet, line: '' }, line)
  if (key === 'escape' || key === 'ctrl+u') return open({ ...sheet, line: '' })
  if (key === 'backspace') return open({ ...sheet, line: [...line].slice(0, -1).join('') })
  if (text === '' || (line === '' && AT_ONCE.has(key))) return pressKey(sheet, key)
  return open({ ...sheet, hint: null, line: (line + text).slice(0, WORDS_CHARS) })
}

const AT_ONCE: ReadonlySet<string> = new Set(['space', '?', 'shift+/'])
const NO_CHOICE = 'That is not one of the choices.'

function giveLine(sheet: ApprovalSheet, line: string): AfterKey {
  if (line.trim() === '') return open(sheet)
  const read = readTypedAnswer(line)
  if (read === null) return open({ ...sheet, hint: NO_CHOICE })
  if (read.is === 'key') return pressKey(sheet, read.key)
  if (read.is === 'hunks') return takeHunks(sheet, read.list)
  const { say } = read
  return answer({ ...sheet, hint: null }, () =>
    isAboutResults(sheet.requests) ? 'deny' : { answer: 'deny', say },
  )
}

/** Opens the list of hunks with what was typed behind the letter, and takes it as Enter there does. */
function takeHunks(sheet: ApprovalSheet, list: string): AfterKey {
  const opened = pressKey(sheet, 's')
  return opened.is === 'open' && opened.sheet.hunks !== null
    ? typeHunks(opened.sheet, list, 'enter', '')
    : opened
}

/** The list of hunks is for the current question alone; the question can be scrolled meanwhile. */
function typeHunks(sheet: ApprovalSheet, list: string, key: string, text: string): AfterKey {
  switch (key) {
    case 'enter': {
      const request = sheet.requests[sheet.at]
      const read = request === undefined ? null : readHunkList(list, request)
      if (read === null || !read.ok) return open({ ...sheet, hunks: list, hint: read?.why ?? null })
      const after = approve({ ...sheet, hunks: null, hint: null, chosen: new Set() }, () => read.answer)
      const isRefused = after.is === 'open' && after.sheet.answers === sheet.answers
      return isRefused ? open({ ...after.sheet, hunks: list }) : after
    }
    case 'escape':
      return open({ ...sheet, hunks: null, hint: null })
    case 'backspace':
      return open({ ...sheet, hunks: list.slice(0, -1), hint: null })
    case 'ctrl+u':
      return open({ ...sheet, hunks: '', hint: null })
    case 'up':
      return open(scroll(sheet, -1))
    case 'down':
      return open(scroll(sheet, 1))
    case 'pageUp':
      return open(scroll(sheet, -sheet.page))
    case 'pageDown':
      return open(scroll(sheet, sheet.page))
    case 'tab':
      return open({ ...sheet, isWhole: !sheet.isWhole, top: 0 })
    default:
      return open({ ...sheet, hunks: (list + text).slice(0, WORDS_CHARS), hint: null })
  }
}
