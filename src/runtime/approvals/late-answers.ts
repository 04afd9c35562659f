import { INBOX_POLL_MS } from '../../config/fixed-values.ts'
import type { Decision } from '../../core/approval.ts'
import type { ToolResult } from '../../core/result.ts'
import { DRAINING } from '../../pipeline/approve/wait.ts'
import type { AnswerInbox } from '../../pipeline/engine.ts'

/** Takes answers to batches that wait in sessions which this process still owns. */
export interface LateAnswers {
  /** Starts polling for answers to the questions among these rows, until the signal says that the process shuts down. */
  readonly expect: (rows: readonly ToolResult[], take: TakeAnswer, signal?: AbortSignal) => void
  /** Resolves when no answer is being handled. */
  readonly idle: () => Promise<void>
  /** Stops polling, and waits until the current answer is handled. */
  readonly close: () => Promise<void>
}

/** Records an answer and continues its batch. */
export type TakeAnswer = (approval: string, decision: Decision) => Promise<void>

/** Polls an inbox for late answers, without keeping the process alive. */
export function createLateAnswers(inbox: AnswerInbox): LateAnswers {
  const expected = new Map<string, { readonly take: TakeAnswer; readonly signal: AbortSignal | undefined }>()
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> | null = null

  async function poll(): Promise<void> {
    for (const [approval, { take, signal }] of expected) {
      // A batch started now would only be cancelled; the answer is left to the next owner of the session.
      if (signal?.reason === DRAINING) continue
      const decision = inbox.take(approval)
      if (decision === null) continue
      expected.delete(approval)
      try {
        await take(approval, decision)
      } catch (error) {
        // It may not be on record; if it is, the next process finds that its question is closed.
        inbox.putBack(approval)
        throw error
      }
      inbox.drop(approval)
    }
  }

  function onTick(): void {
    if (work !== null || expected.size === 0) return
    // The fault has been reported by then; the questions stay open.
    work = poll().catch(() => undefined)
    void work.then(() => (work = null))
  }

  return {
    expect(rows, take, signal) {
      for (const row of rows) {
        const approval = row.ok ? null : row.error.details['approval']
        if (typeof approval === 'string') expected.set(approval, { take, signal })
      }
      if (expected.size > 0) timer ??= setInterval(onTick, INBOX_POLL_MS.unattended).unref()
    },
    async idle() {
      await work
    },
    async close() {
      clearInterval(timer)
      expected.clear()
      await work
    },
  }
}
