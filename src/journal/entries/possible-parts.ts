import type { Attachment } from '../../core/attachment/attachment.ts'
import type { Actor, CallMeta, Origin } from '../../core/call.ts'
import { isJsonObject } from '../../core/json/value.ts'
import { NEXT } from '../../core/lifecycle.ts'
import type { Move } from '../../core/lifecycle.ts'
import type { ResourceUse } from '../../core/resource-use.ts'
import type { Effect, Risk } from '../../core/tool.ts'
import type {
  AskedQuestion,
  Attempt,
  DeclaredCall,
  FileChange,
  FileState,
  GateRecord,
  LandingEntry,
} from './entry.ts'
import {
  isNumber,
  isQuestion,
  isText,
  isTime,
  isWord,
  listOf,
  nullable,
  oneOf,
  optional,
  shapeOf,
} from './shapes.ts'
import type { Check } from './shapes.ts'

export const isEffect = oneOf<Effect>({ read: 0, edit: 0, spawn: 0, external: 0 })
const isRisk = oneOf<Risk>({ Low: 0, Medium: 0, High: 0 })
export const isOrigin = oneOf<Origin>({ person: 0, model: 0, runtime: 0 })
export const isLayer = oneOf<LandingEntry['layer']>({ overlay: 0, copy: 0 })
export const isActor = shapeOf<Actor>({ id: isText, tenant: optional(isText) })
export const isMove = shapeOf<Move>({ state: oneOf(NEXT), at: isTime })
export const areWords = listOf(isWord)
export const areTexts = listOf(isText)

const isFinding = shapeOf<GateRecord>({
  gate: isText,
  fact: isText,
  verdict: oneOf<GateRecord['verdict']>({ pass: 0, ask: 0, deny: 0, fail: 0 }),
  grant: optional(isWord),
  answers: optional(
    listOf(
      shapeOf<NonNullable<GateRecord['answers']>[number]>({
        gate: isText,
        verdict: oneOf({ abstain: 0, ask: 0, deny: 0, cancelled: 0 }),
      }),
    ),
  ),
})

/** Whether a parsed value is a list of findings. */
export const areFindings = listOf(isFinding)

const isDifference: Check = (value) =>
  Array.isArray(value) && value.length === 2 && isNumber(value[0]) && isFinding(value[1])

/** As they are stored: the list itself, or what differs from a shared one. */
export const areStoredFindings: Check = (value) =>
  isJsonObject(value)
    ? isWord(value['as']) && optional(listOf(isDifference))(value['but'])
    : areFindings(value)

const isFileState = shapeOf<FileState>({
  kind: optional(oneOf<NonNullable<FileState['kind']>>({ link: 0, folder: 0 })),
  digest: isWord,
  mode: isNumber,
  uid: isNumber,
  gid: isNumber,
  attributes: optional(isWord),
  held: optional(isText),
  isCopied: optional(isQuestion),
})

export const areChanges = listOf(
  shapeOf<FileChange>({
    root: isText,
    path: isText,
    before: nullable(isFileState),
    after: nullable(isFileState),
    folders: areTexts,
  }),
)

export const isCall = shapeOf<DeclaredCall>({
  execution: isWord,
  id: isText,
  name: isText,
  version: optional(isText),
  args: isWord,
  meta: optional(shapeOf<CallMeta>({ cwd: optional(isText), timeout: optional(isNumber) })),
  heartbeat: optional(isQuestion),
})

export const isQuestionAsked = shapeOf<AskedQuestion>({
  approval: isWord,
  execution: isWord,
  summary: optional(isText),
  risk: isRisk,
  binding: isWord,
  diff: nullable(isWord),
  note: optional(isText),
  about: optional(oneOf<NonNullable<AskedQuestion['about']>>({ run: 0, result: 0 })),
  offer: optional(isWord),
})

export const isAttempt = shapeOf<Attempt>({
  number: isNumber,
  at: isTime,
  code: isWord,
  class: isWord,
  durationMs: isNumber,
})

export const isUsage = shapeOf<ResourceUse>({
  cpuMs: isNumber,
  maxRssBytes: isNumber,
  fsReads: isNumber,
  fsWrites: isNumber,
})

export const isAttachment = shapeOf<Attachment>({
  type: isWord,
  width: optional(isNumber),
  height: optional(isNumber),
  tokens: optional(isNumber),
  sha256: isWord,
  bytes: isNumber,
  path: optional(isText),
})
