import { isJsonObject } from '../../core/json/value.ts'
import type { ConversationEntry } from './delegated-entry.ts'
import type { Authorization, Entry, GrantRecord, LeftFiles, RecoveredEntry, RollBackRecord } from './entry.ts'
import type { ForgottenSpan } from './forgotten-entry.ts'
import {
  areChanges,
  areFindings,
  areStoredFindings,
  areTexts,
  areWords,
  isActor,
  isAttachment,
  isAttempt,
  isCall,
  isEffect,
  isLayer,
  isMove,
  isOrigin,
  isQuestionAsked,
  isUsage,
} from './possible-parts.ts'
import {
  isAnything,
  isNumber,
  isQuestion,
  isText,
  isTime,
  isWord,
  listOf,
  nullable,
  oneOf,
  optional,
  recordOf,
  shapeOf,
} from './shapes.ts'
import type { Check, Fields } from './shapes.ts'

type Kind = Entry['kind']
type EntryOf<Name extends Kind> = Extract<Entry, { readonly kind: Name }>

const reverted = entryOf<'undo'>({
  execution: isWord,
  calls: areWords,
  changes: areChanges,
  roots: optional(areTexts),
  actor: nullable(isActor),
  left: optional(
    listOf(
      shapeOf<LeftFiles>({
        call: isWord,
        files: listOf(shapeOf<LeftFiles['files'][number]>({ root: isText, path: isText })),
      }),
    ),
  ),
  rollsBack: optional(
    shapeOf<RollBackRecord>({
      execution: isWord,
      because: oneOf<RollBackRecord['because']>({ obstacle: 0, discarded: 0 }),
      why: isText,
      result: nullable(isWord),
    }),
  ),
})

const CONVERSATION: { readonly [Name in ConversationEntry['kind']]: Check } = {
  said: entryOf<'said'>({
    turn: isText,
    role: oneOf<EntryOf<'said'>['role']>({ user: 0, assistant: 0, tool: 0 }),
    message: isWord,
    model: nullable(isText),
    results: optional(isWord),
    attached: optional(listOf(isAttachment)),
    isTold: optional(isQuestion),
  }),
  drafted: entryOf<'drafted'>({ turn: isText, part: isWord }),
  voided: entryOf<'voided'>({ turn: isText, why: isText }),
  streamed: entryOf<'streamed'>({
    turn: isText,
    execution: isWord,
    id: isText,
    name: isText,
    args: isWord,
    metadata: optional(isWord),
    isFenced: optional(isQuestion),
  }),
  condensed: entryOf<'condensed'>({
    upTo: isNumber,
    summary: nullable(isWord),
    resultsUpTo: optional(isNumber),
    attachedUpTo: optional(isNumber),
    isStored: optional(isQuestion),
    cause: optional(isWord),
    before: optional(isNumber),
    after: optional(isNumber),
  }),
}

const ENTRY: { readonly [Name in Kind]: Check } = {
  ...CONVERSATION,
  batch: entryOf<'batch'>({
    batch: isWord,
    turn: isText,
    pass: optional(isText),
    ahead: optional(isWord),
    delegate: optional(isWord),
    origin: isOrigin,
    actor: nullable(isActor),
    isDryRun: optional(isQuestion),
    calls: listOf(isCall),
  }),
  started: entryOf<'started'>({
    execution: isWord,
    effect: isEffect,
    idempotencyKey: nullable(isText),
    authorized: optional(
      shapeOf<Authorization>({ capabilities: areTexts, consent: isAnything, sandbox: optional(isText) }),
    ),
    layer: optional(isLayer),
  }),
  landing: entryOf<'landing'>({
    batch: isWord,
    execution: isWord,
    layer: isLayer,
    startedMs: isNumber,
    changes: areChanges,
    durationMs: isNumber,
    rest: isWord,
  }),
  settled: entryOf<'settled'>({
    batch: isWord,
    turn: isText,
    execution: isWord,
    name: isText,
    version: nullable(isText),
    effect: nullable(isEffect),
    moves: listOf(isMove),
    error: nullable(shapeOf<NonNullable<EntryOf<'settled'>['error']>>({ code: isWord, class: isWord })),
    result: isWord,
    output: nullable(isWord),
    capabilities: areTexts,
    changes: areChanges,
    roots: optional(areTexts),
    gates: areStoredFindings,
    durationMs: isNumber,
    grant: optional(shapeOf<GrantRecord>({ id: isWord, sentence: isText })),
    stored: optional(recordOf(isWord)),
    attached: optional(areWords),
    keptLayer: optional(isQuestion),
    attempts: optional(listOf(isAttempt)),
    usage: optional(isUsage),
  }),
  asked: entryOf<'asked'>({
    batch: isWord,
    questions: listOf(isQuestionAsked),
    judged: optional(
      listOf(
        shapeOf<NonNullable<EntryOf<'asked'>['judged']>[number]>({ execution: isWord, gates: areFindings }),
      ),
    ),
    expiresAt: isTime,
    whileRunning: optional(isQuestion),
    seal: optional(isWord),
  }),
  answered: entryOf<'answered'>({
    batch: isWord,
    approval: isWord,
    isApproved: isQuestion,
    say: nullable(isText),
    actor: nullable(isActor),
    refusal: optional(isWord),
    wish: isAnything,
    hunks: optional(listOf(isNumber)),
    grant: optional(isWord),
    seal: optional(isWord),
    asked: optional(isWord),
  }),
  continued: entryOf<'continued'>({ batch: isWord, pass: optional(isText) }),
  undo: reverted,
  redo: reverted,
  recovered: entryOf<'recovered'>({
    batch: isWord,
    choice: oneOf<EntryOf<'recovered'>['choice']>({ resume: 0, discard: 0 }),
    calls: listOf(
      shapeOf<RecoveredEntry['calls'][number]>({
        execution: isWord,
        status: oneOf({ never_started: 0, finished: 0, in_doubt: 0, discarded: 0 }),
        evidence: isText,
      }),
    ),
  }),
  forgotten: entryOf<'forgotten'>({
    why: isText,
    payloads: isNumber,
    bytes: isNumber,
    executions: areWords,
    unlisted: optional(isNumber),
    span: optional(shapeOf<ForgottenSpan>({ upTo: isNumber, before: nullable(isNumber) })),
  }),
  held: entryOf<'held'>({ batch: isWord, executions: areWords, seal: optional(isWord) }),
  parked: entryOf<'parked'>({ batch: isWord, executions: areWords }),
  delegated: entryOf<'delegated'>({
    execution: isWord,
    entry: (value) => isEntryOf(value, CONVERSATION),
  }),
  opened: entryOf<'opened'>({
    by: oneOf<EntryOf<'opened'>['by']>({ run: 0, app: 0, editor: 0 }),
    preset: nullable(isText),
    seal: isWord,
  }),
  titled: entryOf<'titled'>({ title: isWord, actor: nullable(isActor) }),
  note: entryOf<'note'>({ about: isText, execution: nullable(isWord), data: isAnything }),
}

/**
 * Whether a parsed text can be an entry: every field holds a value of its type. Another program can write others; without
 * this, they would pass for states, verdicts and numbers wherever the log is read.
 */
export function isPossibleEntry(value: unknown): boolean {
  return isEntryOf(value, ENTRY)
}

/** The fields of an entry but for its kind, which is what leads to them. */
function entryOf<Name extends Kind>(fields: Fields<Omit<EntryOf<Name>, 'kind'>>): Check {
  return shapeOf(fields)
}

function isEntryOf(value: unknown, checks: Readonly<Record<string, Check>>): boolean {
  if (!isJsonObject(value)) return false
  const { kind } = value
  return typeof kind === 'string' && Object.hasOwn(checks, kind) && checks[kind]?.(value) === true
}
