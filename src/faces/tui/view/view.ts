import type { Origin } from '../../../core/call.ts'
import type { JsonObject } from '../../../core/json/value.ts'
import type { ToolResult } from '../../../core/result.ts'
import type { FileChange } from '../../../journal/entries/entry.ts'
import type { OutputTail } from './output-tail.ts'

/** How far a call has come, as a person sees it. */
export type CallProgress =
  | 'pending'
  | 'asked'
  | 'held'
  | 'interrupted'
  | 'running'
  | 'done'
  | 'failed'
  | 'refused'

/** A call with everything that is known of it. */
export interface CallBlock {
  readonly kind: 'call'
  /** Its execution. */
  readonly key: string
  /** Whether its message is still coming in; the batch then brings it again. */
  readonly isStreamed: boolean
  readonly id: string
  readonly name: string
  readonly turn: string
  readonly origin: Origin
  /** Null where they are no JSON, or were erased. */
  readonly args: JsonObject | null
  readonly progress: CallProgress
  /** Epoch milliseconds; null while it does not run. */
  readonly startedAt: number | null
  readonly durationMs: number | null
  /** Why it was refused or failed, in words. */
  readonly reason: string | null
  readonly result: ToolResult | null
  readonly changes: readonly ShownChange[]
  readonly isUndone: boolean
  readonly tail: OutputTail
}

/** What a call did to a file. */
export interface ShownChange extends Pick<FileChange, 'path' | 'before' | 'after'> {
  readonly is: 'created' | 'modified' | 'deleted'
  /** Null where the file is no text, too long, or erased. */
  readonly diff: string | null
}

/** A piece of the conversation, top to bottom. */
export type Block =
  | CallBlock
  | { readonly kind: 'said'; readonly key: string; readonly turn: string; readonly text: string }
  | { readonly kind: 'answer'; readonly key: string; readonly turn: string; readonly text: string }
  | {
      readonly kind: 'reverted'
      readonly key: string
      readonly is: 'undo' | 'redo'
      readonly changes: readonly FileChange[]
    }
  | {
      readonly kind: 'recovered'
      readonly key: string
      readonly choice: 'resume' | 'discard'
      readonly inDoubt: number
      readonly calls: number
    }
  | { readonly kind: 'notice'; readonly tone: Tone; readonly text: string }

/** How the app says something of its own. */
export type Tone = 'plain' | 'good' | 'trouble'

/** Everything the screen shows of a session: a fold over its log and what happens right now. */
export interface View {
  readonly blocks: readonly Block[]
  /** What the model is saying and has not finished. */
  readonly speaking: string
  /** The turn that is going on; null where none is. */
  readonly turn: string | null
  /** What has come in of a message, as the log has it. */
  readonly drafted: string
  /** How many tokens the session has used, as far as its log was read. */
  readonly tokens: number
}

export const EMPTY_VIEW: View = { blocks: [], speaking: '', drafted: '', turn: null, tokens: 0 }

/** The calls of a view, oldest first. */
export function callsOf(view: View): readonly CallBlock[] {
  return view.blocks.filter((block) => block.kind === 'call')
}

/** The call whose output is worth watching: the newest that runs and has printed something. */
export function findPrinting(view: View): CallBlock | null {
  return callsOf(view).findLast(({ progress, tail }) => progress === 'running' && tail.raw !== '') ?? null
}

/** Replaces the newest block that fits, or leaves the view as it is. */
export function replaceCall(
  view: View,
  fits: (call: CallBlock) => boolean,
  change: (call: CallBlock) => CallBlock,
): View {
  const at = view.blocks.findLastIndex((block) => block.kind === 'call' && fits(block))
  const found = view.blocks[at]
  return found?.kind === 'call' ? { ...view, blocks: view.blocks.with(at, change(found)) } : view
}

/** Lets go of the oldest blocks; the log keeps them. */
export function limitBlocks(view: View, most: number): View {
  return view.blocks.length <= most ? view : { ...view, blocks: view.blocks.slice(-most) }
}

/** Forgets what is shown. What has no end yet stays, because its end is to be seen. */
export function clearView(view: View): View {
  return { ...view, blocks: callsOf(view).filter(({ result }) => result === null) }
}

/** Adds a block at the end. */
export function addBlock(view: View, block: Block): View {
  return { ...view, blocks: [...view.blocks, block] }
}
