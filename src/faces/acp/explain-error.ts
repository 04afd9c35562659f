import { RequestError } from '@agentclientprotocol/sdk'
import { BudgetError } from '../../agent/loop/budget.ts'
import { ToolFailure } from '../../core/error.ts'
import { JournalError } from '../../journal/journal-error.ts'
import { ModelError } from '../../model/model-client.ts'
import { ConfigurationError } from '../../runtime/configure/configuration-error.ts'

const FAILED = -32_603
const INVALID = -32_602
const REFUSED = -32_600
const NEEDS_KEY = -32_000

/** Why nothing answers, where a model is needed. */
export const NO_MODEL = 'There is no model to answer.'

/** An answer that says what went wrong and what to do about it. */
export function failed(message: string, code: string, recovery: readonly string[] = []): RequestError {
  return new RequestError(FAILED, message, { code, recovery: [...recovery] })
}

/** The answer to a request that makes no sense. */
export function invalid(message: string): RequestError {
  return new RequestError(INVALID, message, { code: 'bad_request', recovery: [] })
}

/** The answer to a request that cannot be met now. */
export function refused(message: string, recovery: readonly string[]): RequestError {
  return new RequestError(REFUSED, message, { code: 'busy', recovery: [...recovery] })
}

/** The answer if there is no model, or no key for it. */
export function needsSetup(message: string): RequestError {
  return new RequestError(NEEDS_KEY, message, {
    code: 'auth',
    recovery: ['Run tongs setup in a terminal, or give the agent --model, then try again.'],
  })
}

/** What was thrown, as the answer to the request during which it was. */
export function explain(thrown: unknown): RequestError {
  if (thrown instanceof RequestError) return thrown
  if (thrown instanceof ModelError)
    return thrown.code === 'auth' ? needsSetup(thrown.message) : failed(thrown.message, thrown.code)
  if (thrown instanceof ToolFailure) {
    const { code, message, recovery } = thrown.error
    return failed(message, code, recovery)
  }
  if (thrown instanceof JournalError) return failed(thrown.message, thrown.code, [thrown.hint])
  if (thrown instanceof ConfigurationError) return failed(thrown.message, 'configuration')
  if (thrown instanceof BudgetError) return failed(thrown.message, 'budget', [thrown.hint])
  return failed(thrown instanceof Error ? thrown.message : String(thrown), 'unexpected')
}
