import type { Attachment } from '../../core/attachment/attachment.ts'
import type { Phase, ToolError } from '../../core/error.ts'
import type { Grant } from '../../core/grant.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Layer } from '../../core/layer.ts'
import type { Trace } from '../../core/lifecycle.ts'
import type { ResourceUse } from '../../core/resource-use.ts'
import type { HiddenPart, ToolResult } from '../../core/result.ts'
import type { KeyLines } from '../../core/text/secrets/key-lines.ts'
import type { Attempt, SeenFile } from '../../journal/entries/entry.ts'
import type { Prepared } from '../../workspace/staging/prepare.ts'
import type { StoredBefore } from '../memory/stored-values.ts'
import type { Step } from '../step.ts'

/** The two ways a call ends. Nothing in the workspace has changed yet; `prepared` is what the commit will change. */
export type Finish =
  | {
      readonly ok: true
      readonly output: JsonObject
      readonly seen: readonly SeenFile[]
      readonly prepared: Prepared | null
      readonly stored: ReadonlyMap<string, JsonValue>
      /** The stored values that the call read, as they were before. */
      readonly restsOn?: StoredBefore
      /** Pictures and documents that the model is shown with the result. */
      readonly attached?: readonly (readonly [Attachment, Uint8Array])[]
    }
  | {
      readonly ok: false
      readonly error: ToolError
      readonly seen: readonly SeenFile[]
      readonly phase: Phase
      /** What a stopped command had changed, if that is to be kept. */
      readonly prepared?: Prepared | null
    }

/** A call that has ended but is not recorded yet. */
export interface Ending {
  readonly step: Step
  readonly trace: Trace
  readonly durationMs: number
  /** Attempts that failed before the one that counts. */
  readonly attempts?: readonly Attempt[]
  readonly end: Finish
  /** The grant that its commit rests on: nothing is committed once it no longer counts. */
  readonly grant?: Grant
  /** What is returned instead, if secrets were removed. */
  readonly shown?: Finish
  /** The secrets that were removed. */
  readonly hidden?: readonly HiddenPart[]
  /** Finds lines of the private keys in the files that the call read. */
  readonly findKeyLines?: KeyLines['find']
  /** Set if its process has ended, and what it changed waits for this approval before it lands. */
  readonly parked?: string
  /** The layer of a call that has something on it which the commit or an answer needs. */
  readonly layer?: Layer
  /** The layer of a call whose landing was asked about and refused: until that is on record, the question is open. */
  readonly dropped?: Layer
  /** Set if the call waits for its delegated conversation, which waits for a person or for a model. */
  readonly isConversing?: true
  /** Results of what the runtime ran first; they come before the call's own. */
  readonly ahead?: readonly ToolResult[]
}

/** The calls of a group that have ended. */
export interface EndedGroup {
  readonly endings: readonly Ending[]
  /** What the process used meanwhile, if the call ran alone and usage is recorded. */
  readonly usage: ResourceUse | null
}
