import type { ModelMessage } from 'ai'
import { joinOwnRows } from '../../agent/log/spoken-batch.ts'
import type { ToolCall } from '../../core/call.ts'
import type { ToolResult } from '../../core/result.ts'

/** What calls of one step have in common: the very same messages, and what aborts them. */
export interface Step {
  readonly messages: readonly ModelMessage[]
  readonly signal: AbortSignal | undefined
}

/** Runs calls as one batch, with their rows in call order. */
export type RunCalls = (calls: readonly ToolCall[], step: Step) => Promise<readonly ToolResult[]>

interface Gathering extends Step {
  readonly calls: ToolCall[]
  readonly rows: Promise<readonly ToolResult[]>
}

/**
 * Joins calls that the SDK starts at the same time into one batch: then they run in order, are asked about together, and
 * neighbouring edits share a commit. Calls that come later, as those of a stream may, are batches of their own.
 */
export class StepBatches {
  readonly #runCalls: RunCalls
  #gathering: Gathering | null = null

  constructor(runCalls: RunCalls) {
    this.#runCalls = runCalls
  }

  async run(call: ToolCall, step: Step): Promise<ToolResult> {
    const batch = this.#join(step)
    const place = batch.calls.push(call) - 1
    const row = (await batch.rows)[place]
    if (row === undefined) throw new Error(`the call ${call.id} got no result`)
    return row
  }

  #join(step: Step): Gathering {
    const open = this.#gathering
    if (open !== null && open.messages === step.messages && open.signal === step.signal) return open
    const calls: ToolCall[] = []
    const { promise, resolve } = Promise.withResolvers<void>()
    // The SDK starts all calls of a step before it lets anything else happen.
    setImmediate(resolve)
    const rows = promise.then(async () => {
      if (this.#gathering === batch) this.#gathering = null
      return joinOwnRows(await this.#runCalls(calls, step))
    })
    const batch: Gathering = { ...step, calls, rows }
    this.#gathering = batch
    return batch
  }
}
