import type { Origin } from '../../../core/call.ts'
import type { JsonObject } from '../../../core/json/value.ts'
import type { ToolResult } from '../../../core/result.ts'
import type { FileChange } from '../../../journal/entries/entry.ts'
import type { RevertReport } from '../../../pipeline/after/revert.ts'
import type { OutputTail } from './output-tail.ts'

/** The progress of a call, as shown to the user. */
export type CallProgress =
  | 'pending'
  | 'asked'
  | 'held'
  | 'interrupted'
  | 'running'
  | 'done'
  | 'failed'
  | 'refused'

/** A call with everything known about it. */
export interface CallBlock {
  readonly kind: 'call'
  /** Its execution. */
  readonly key: string
  /** Whether its message is still streaming; the batch replaces it later. */
  readonly isStreamed: boolean
  readonly id: string
  readonly name: string
  readonly turn: string
  readonly origin: Origin
  /** How deep the delegated conversation is that made it; absent if the conversation of the session did. */
  readonly depth?: number
  /** Null if they are not JSON or were erased. */
  readonly args: JsonObject | null
  readonly progress: CallProgress
  /** Epoch milliseconds; null before it starts. */
  readonly startedAt: number | null
  readonly durationMs: number | null
  /** How many of many files are in place, while they are being put there. */
  readonly landing?: { readonly done: number; readonly total: number }
  /** Why it was denied or failed. */
  readonly reason: string | null
  readonly result: ToolResult | null
  readonly changes: readonly ShownChange[]
  readonly isUndone: boolean
  readonly tail: OutputTail
}

/** What a call did to a file. */
export interface ShownChange extends Pick<FileChange, 'root' | 'path' | 'before' | 'after'> {
  readonly is: 'created' | 'modified' | 'deleted'
  /** Null if the file is not text, too long, or erased. */
  readonly diff: string | null
}

/** A block of the conversation, in display order. */
export type Block =
  | CallBlock
  | { readonly kind: 'said'; readonly key: string; readonly turn: string; readonly text: string }
  | { readonly kind: 'answer'; readonly key: string; readonly turn: string; readonly text: string }
  | {
      readonly kind: 'reverted'
      readonly key: string
      readonly is: 'undo' | 'redo'
      readonly files: RevertReport['files']
      readonly folders: RevertReport['files']
      /** The tool that took back what its call did elsewhere. */
      readonly by: string | null
    }
  | {
      readonly kind: 'recovered'
      readonly key: string
      readonly choice: 'resume' | 'discard'
      readonly inDoubt: number
      readonly calls: number
    }
  | { readonly kind: 'notice'; readonly tone: Tone; readonly text: string }

/** The tone of a notice. */
export type Tone = 'plain' | 'good' | 'trouble'

/** Everything the screen shows of a session, folded from its log and live events. */
export interface View {
  readonly blocks: readonly Block[]
  /** The text of the streaming message. */
  readonly speaking: string
  /** The running turn, or null. */
  readonly turn: string | null
  /** The text of an incomplete message, from the log. */
  readonly drafted: string
  /** Tokens used by the session, as far as its log was read. */
  readonly tokens: number
  /** What they cost, as far as they have a price; null if none has. */
  readonly cost: number | null
}

export const EMPTY_VIEW: View = { blocks: [], speaking: '', drafted: '', turn: null, tokens: 0, cost: null }

/** The calls of a view, oldest first. */
export function callsOf(view: View): readonly CallBlock[] {
  return view.blocks.filter((block) => block.kind === 'call')
}

/** The newest running call that has printed something. */
export function findPrinting(view: View): CallBlock | null {
  return callsOf(view).findLast(({ progress, tail }) => progress === 'running' && tail.raw !== '') ?? null
}

/** Replaces the newest matching call, if there is one. */
export function replaceCall(
  view: View,
  fits: (call: CallBlock) => boolean,
  change: (call: CallBlock) => CallBlock,
): View {
  const at = view.blocks.findLastIndex((block) => block.kind === 'call' && fits(block))
  const found = view.blocks[at]
  return found?.kind === 'call' ? { ...view, blocks: view.blocks.with(at, change(found)) } : view
}

/** Drops the oldest blocks; the log keeps them. */
export function limitBlocks(view: View, most: number): View {
  return view.blocks.length <= most ? view : { ...view, blocks: view.blocks.slice(-most) }
}

/** Clears the view except for unfinished calls. */
export function clearView(view: View): View {
  return { ...view, blocks: callsOf(view).filter(({ result }) => result === null) }
}

/** Adds a block at the end. */
export function addBlock(view: View, block: Block): View {
  return { ...view, blocks: [...view.blocks, block] }
}
