import type { Draft, LinePlace } from './draft.ts'
import { advance, closeDraft, edgeOf, insertLines, openDraft, removeLines, textsOf } from './draft.ts'
import type { FileLines } from './file-lines.ts'
import { areSameLines, findMixedEnding } from './file-lines.ts'
import { findRun, lineNumbersOf } from './find-run.ts'
import type { Lp1Code, Lp1Error } from './lp1-error.ts'
import { quoteText } from './lp1-error.ts'
import { findNearMiss } from './near-miss.ts'
import type { MatchOp, Op } from './operation.ts'
import { isMatchOp } from './operation.ts'

export type ApplyOptions = { readonly strictEol: boolean }

export type ApplyResult =
  | { readonly ok: true; readonly file: FileLines | null; readonly changed: boolean }
  | { readonly ok: false; readonly error: Lp1Error }

/**
 * Applies one section's operations to a file, in order; null is a file that does not exist, before or after.
 * `changed` says whether the bytes differ.
 */
export function applySection(ops: readonly Op[], file: FileLines | null, options: ApplyOptions): ApplyResult {
  const obstacle = findObstacle(ops, file, options)
  if (obstacle !== undefined) return { ok: false, error: obstacle }
  const draft = openDraft(file, new Set(ops.flatMap((op) => (isMatchOp(op) ? op.find : []))))
  for (const [index, op] of ops.entries()) {
    const error = applyOp(draft, op, index > 0)
    if (error !== undefined) return { ok: false, error }
  }
  const after = closeDraft(draft)
  if (file !== null) return { ok: true, file: after, changed: !areSameLines(file, after) }
  const isNothing = after.texts.length === 0 && !after.hasBom
  return { ok: true, file: isNothing ? null : after, changed: !isNothing }
}

/** The error that rejects the section before any operation runs. */
function findObstacle(
  ops: readonly Op[],
  file: FileLines | null,
  options: ApplyOptions,
): Lp1Error | undefined {
  if (file === null) {
    const op = ops.find(isMatchOp)
    const why = 'needs lines to find, but the file does not exist; only T, B and N can create one'
    return op && fail(op, 'missing_file_for_match_op', `${op.letter} ${why}.`)
  }
  const [first] = ops
  const mixedAt = options.strictEol ? findMixedEnding(file) : undefined
  if (first === undefined || mixedAt === undefined) return undefined
  const what = `The file mixes LF and CRLF: line ${mixedAt} ends differently from line 1`
  return fail(first, 'mixed_eol', `${what}. Make its line endings the same first, or allow mixed ones.`)
}

function applyOp(draft: Draft, op: Op, isLater: boolean): Lp1Error | undefined {
  if (isMatchOp(op)) {
    const found = locate(draft, op, isLater)
    if (!found.ok) return found.error
    rewrite(draft, op, found.place)
  } else if (op.letter === 'N') {
    setNewline(draft, op.endsInNewline)
  } else {
    insertLines(draft, edgeOf(draft, op.letter === 'T' ? 'end' : 'start'), op.fresh)
  }
  return undefined
}

/** Only a newline distinguishes one empty line from none, so the two convert into each other. */
function setNewline(draft: Draft, wanted: boolean): void {
  const start = edgeOf(draft, 'start')
  if (wanted && draft.lineCount === 0) insertLines(draft, start, [''])
  const isJustNewline = draft.endsInNewline && draft.lineCount === 1 && textsOf(draft)[0] === ''
  if (!wanted && isJustNewline) removeLines(draft, start, 1)
  draft.endsInNewline = wanted
}

function rewrite(draft: Draft, op: MatchOp, place: LinePlace): void {
  const length = op.find.length
  if (op.letter === 'R' || op.letter === 'E') removeLines(draft, place, length)
  if (op.letter === 'E') return
  insertLines(draft, op.letter === 'I' ? advance(draft, place, length) : place, op.fresh)
}

type Located =
  | { readonly ok: true; readonly place: LinePlace }
  | { readonly ok: false; readonly error: Lp1Error }

function locate(draft: Draft, op: MatchOp, isLater: boolean): Located {
  if (op.find.length === 0) {
    const message = `The find block of ${op.letter} is empty; copy the lines it is about from the file.`
    return { ok: false, error: fail(op, 'empty_find', message) }
  }
  const wanted = findRun(draft, op.find, (op.occurrence ?? 1) - 1)
  const place = wanted.next().value
  const isAmbiguous = op.occurrence === null && wanted.next().value !== undefined
  if (place !== undefined && !isAmbiguous) return { ok: true, place }
  const matches = lineNumbersOf(draft, [...findRun(draft, op.find)])
  return {
    ok: false,
    error: matches.length === 0 ? describeMiss(draft, op, isLater) : describeCount(op, matches, isLater),
  }
}

function describeCount(op: MatchOp, matches: readonly number[], isLater: boolean): Lp1Error {
  const times = matches.length === 1 ? 'once' : `${matches.length} times`
  const lines = matches.length === 1 ? 'line' : 'lines'
  const shown = matches.slice(0, 20).join(', ') + (matches.length > 20 ? ', …' : '')
  const found = `The find block of ${op.letter} occurs ${times} in the file, at ${lines} ${shown}${counted(isLater)}`
  if (op.occurrence === null) {
    const advice = `add lines to it until it is unique, or say which one is meant, as in ${op.letter} 2`
    return { ...fail(op, 'match_not_unique', `${found}; ${advice}.`), matches }
  }
  const advice = `so there is no match number ${op.occurrence}`
  return { ...fail(op, 'occ_out_of_range', `${found}, ${advice}.`), matches }
}

function describeMiss(draft: Draft, op: MatchOp, isLater: boolean): Lp1Error {
  const texts = textsOf(draft)
  const nearest = findNearMiss(op.find, texts)
  const missing = `The find block of ${op.letter}, which begins ${quoteText(op.find[0] ?? '')}, does not occur in the file`
  if (nearest === undefined) {
    const advice =
      texts.length === 0 ? 'the file has no lines' : 'read the file again and copy its lines exactly'
    return fail(op, 'match_not_found', `${missing}; ${advice}.`)
  }
  const near = `Nearest is line ${nearest.line}${counted(isLater)}, ${quoteText(nearest.text)}: it ${nearest.why}`
  return { ...fail(op, 'match_not_found', `${missing}. ${near}.`), nearest }
}

function counted(isLater: boolean): string {
  return isLater ? ' (counted after the operations before this one)' : ''
}

function fail(op: Op, code: Lp1Code, message: string): Lp1Error {
  return { code, line: op.line, message }
}
