import type { JsonObject } from '../../core/json/value.ts'

/** Whether a result of tests meets a rule that requires their success: some passed, and nothing went wrong. */
export function haveTestsPassed({ passed, failed, errors, exit_code }: JsonObject): boolean {
  const hasRun = typeof passed === 'number' && passed > 0
  return hasRun && failed === 0 && errors === 0 && (exit_code === 0 || exit_code === undefined)
}
