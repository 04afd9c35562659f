import { LETTER_LOOK_MS } from '../../config/fixed-values.ts'
import type { Decision } from '../../core/approval.ts'
import type { ToolResult } from '../../core/result.ts'
import type { Letters } from '../../pipeline/engine.ts'

/** Takes answers to batches that this process left waiting while it lives on and owns their session. */
export interface LateAnswers {
  /** Looks out for answers to the questions among these rows from now on. */
  readonly expect: (rows: readonly ToolResult[], take: TakeAnswer) => void
  /** Looks out no more, and waits for what is being done about an answer. */
  readonly close: () => Promise<void>
}

/** Writes an answer down and does what follows from it. */
export type TakeAnswer = (approval: string, decision: Decision) => Promise<void>

/** Makes one; it keeps no process alive. */
export function createLateAnswers(letters: Letters): LateAnswers {
  const expected = new Map<string, TakeAnswer>()
  let timer: NodeJS.Timeout | undefined
  let work: Promise<void> | null = null

  async function look(): Promise<void> {
    for (const [approval, take] of expected) {
      const decision = letters.look(approval)
      if (decision === null) continue
      expected.delete(approval)
      try {
        await take(approval, decision)
      } finally {
        letters.drop(approval)
      }
    }
  }

  function onTick(): void {
    if (work !== null || expected.size === 0) return
    // Whoever watches the runtime has heard of a fault by then; the questions stay open.
    work = look().catch(() => undefined)
    void work.then(() => (work = null))
  }

  return {
    expect(rows, take) {
      for (const row of rows) {
        const approval = row.ok ? null : row.error.details['approval']
        if (typeof approval === 'string') expected.set(approval, take)
      }
      if (expected.size > 0) timer ??= setInterval(onTick, LETTER_LOOK_MS.unattended).unref()
    },
    async close() {
      clearInterval(timer)
      expected.clear()
      await work
    },
  }
}
