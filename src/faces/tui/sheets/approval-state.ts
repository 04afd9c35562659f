import { seeRows } from './seen-rows.ts'
import type { SeenRows } from './seen-rows.ts'
import type { ApprovalAnswer, ApprovalRequest, OfferedScope } from '../../../core/approval.ts'

/** The state of a group of approval questions. */
export interface ApprovalSheet {
  readonly requests: readonly ApprovalRequest[]
  /** The current question. */
  readonly at: number
  readonly chosen: ReadonlySet<number>
  readonly answers: ReadonlyMap<number, ApprovalAnswer>
  /** The offered duration. */
  readonly grantSeconds: number
  /** When no answer counts as no, in epoch milliseconds; null if there is no time limit. */
  readonly silenceAt: number | null
  /** The chosen scope by question; the default scope if none was chosen. */
  readonly scopes: ReadonlyMap<number, number>
  readonly isWhole: boolean
  /** Whether what is not needed for most answers is shown: why it is asked, the sandbox, all keys. */
  readonly isExplained: boolean
  /** The first visible row of the question. */
  readonly top: number
  /** Questions whose every row has been visible. */
  readonly shown: ReadonlySet<number>
  /** How far the current question has been seen without a gap, at this width. */
  readonly seen: SeenRows
  /** The reason of a denial while it is typed. */
  readonly words: string | null
  /** A list of hunks while it is typed. */
  readonly hunks: string | null
  /** With several questions, what was typed as an answer; Enter gives it. */
  readonly line: string
  readonly hint: string | null
  /** How many rows of the question fit, as last drawn. */
  readonly page: number
  /** Whether the screen has no room for any row of the question, as last drawn. */
  readonly isCramped: boolean
  /** The scope whose whole sentence was on the screen last, by question; only such a one can be granted. */
  readonly offersSeen: ReadonlyMap<number, number>
}

/** A new sheet for a group of questions. */
export function openApprovalSheet(
  requests: readonly ApprovalRequest[],
  grantSeconds: number,
  silenceAt: number | null = null,
): ApprovalSheet {
  return {
    requests,
    grantSeconds,
    silenceAt,
    scopes: new Map(),
    at: 0,
    chosen: new Set(),
    answers: new Map(),
    isWhole: false,
    isExplained: false,
    top: 0,
    shown: new Set(),
    seen: { columns: 0, rows: 0 },
    words: null,
    hunks: null,
    line: '',
    hint: null,
    page: 1,
    isCramped: false,
    offersSeen: new Map(),
  }
}

/** Records which rows were visible when drawn, and out of how many. */
export function markSeen(
  sheet: ApprovalSheet,
  drawn: { readonly columns: number; readonly page: number; readonly rows: number; readonly isCut: boolean },
): ApprovalSheet {
  const { columns, page, rows, isCut } = drawn
  const top = Math.max(0, Math.min(sheet.top, rows - page))
  const seen = seeRows(sheet.seen, { columns, top, page: isCut ? 0 : page, rows })
  const isAll = !isCut && seen.rows >= rows
  const shown = isAll && !sheet.shown.has(sheet.at) ? new Set([...sheet.shown, sheet.at]) : sheet.shown
  return { ...sheet, top, page, shown, seen }
}

/** Records that the whole sentence of the current question's scope was on the screen. */
export function markOffer(sheet: ApprovalSheet): ApprovalSheet {
  const { at, offersSeen } = sheet
  const meant = meantAt(sheet, at)
  return offersSeen.get(at) === meant
    ? sheet
    : { ...sheet, offersSeen: new Map([...offersSeen, [at, meant]]) }
}

/** Whether something is being typed, so that letters are no keys. */
export function isTyping({ words, hunks }: ApprovalSheet): boolean {
  return words !== null || hunks !== null
}

/** Whether Escape takes something back that was typed. */
export function hasTyped(sheet: ApprovalSheet): boolean {
  return isTyping(sheet) || sheet.line !== ''
}

/** The scope of a grant for a question; null if it can only be allowed once. */
export function scopeOf(sheet: ApprovalSheet, index: number): OfferedScope | null {
  return sheet.requests[index]?.scopes[meantAt(sheet, index)] ?? null
}

/** The same edit or page is rarely wanted twice, so the default is its file or origin; otherwise it is the narrowest scope. */
export function meantAt({ requests, scopes }: ApprovalSheet, index: number): number {
  const usual = requests[index]?.scopes.findIndex(
    ({ scope }) => scope.kind === 'origin' || (scope.kind === 'path' && !scope.glob.endsWith('/**')),
  )
  return scopes.get(index) ?? Math.max(0, usual ?? 0)
}

export function isAllShown({ isExplained, isWhole }: ApprovalSheet): boolean {
  return isExplained || isWhole
}
