import { BudgetError } from '../../agent/loop/budget.ts'
import { ToolFailure } from '../../core/error.ts'
import { JournalError } from '../../journal/journal-error.ts'

const SESSION_FAULTS: ReadonlySet<string> = new Set(['session_busy', 'wait_stopped'])

/** The message of an error, with advice if there is any. */
export function explainThrown(thrown: unknown): string {
  if (thrown instanceof JournalError && SESSION_FAULTS.has(thrown.code))
    return `${thrown.message} /session NAME opens another session.`
  if (thrown instanceof JournalError) return `${thrown.message} ${thrown.hint}`
  if (thrown instanceof BudgetError) return `${thrown.message}; ${thrown.hint}`
  if (thrown instanceof ToolFailure) return [thrown.error.message, ...thrown.error.recovery].join(' ')
  return thrown instanceof Error ? thrown.message : String(thrown)
}
