import { BudgetError } from '../../agent/loop/budget.ts'
import { ContinueError } from '../../agent/sessions/find-continued.ts'
import { ToolFailure } from '../../core/error.ts'
import { ConfigurationError } from '../../runtime/configure/configuration-error.ts'
import { ModelError } from '../../model/model-client.ts'
import { JournalError } from '../../journal/journal-error.ts'
import { ioFailure, isOutage } from '../../host/root/io-failure.ts'
import { RefusedFileError } from '../../host/fs/plain-file.ts'
import { safe } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { redactSecrets } from '../../core/text/secrets/redact.ts'
import type { ErrorHandler } from '../../runtime/observe/outside-code.ts'

/** A usage error found by a command itself. */
export class UsageError extends Error {
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.name = 'UsageError'
    this.hint = hint
  }
}

/** A valid command line that names something that does not exist; exits with 1. */
export class NotFoundError extends UsageError {}

/** What to say if several calls begin with what should name one. */
export function ambiguousCall(prefix: string, executions: readonly string[]): NotFoundError {
  return new NotFoundError(
    `several calls begin with ${JSON.stringify(prefix)}`,
    `it could be ${executions.join(', ')}`,
  )
}

/** Reports an error outside of any call; returns the exit code. */
export function explainError(error: unknown, terminal: Terminal): number {
  const thrown = explainOutage(error)
  if (thrown instanceof UsageError || thrown instanceof BudgetError || thrown instanceof ContinueError) {
    terminal.warn(`tongs: ${thrown.message}; ${thrown.hint}`)
    return thrown instanceof NotFoundError ? 1 : 2
  }
  if (thrown instanceof ConfigurationError) {
    for (const line of thrown.message.split('\n')) terminal.warn(`tongs: ${line}`)
    return 2
  }
  if (thrown instanceof RefusedFileError) {
    terminal.warn(safe(`tongs: ${thrown.message}`))
    return 2
  }
  if (thrown instanceof ModelError) {
    terminal.warn(`tongs: ${thrown.message}`)
    return 2
  }
  if (thrown instanceof JournalError) {
    terminal.warn(`tongs: ${thrown.message} ${thrown.hint}`)
    if (thrown.code === 'wait_stopped') return 130
    return thrown.code === 'bad_session' ? 2 : 1
  }
  if (thrown instanceof ToolFailure) {
    // Thrown before any call, for example by a folder that cannot be opened.
    terminal.warn(`tongs: ${[thrown.error.message, ...thrown.error.recovery].join(' ')}`)
    return 1
  }
  terminal.warn(`tongs: unexpected error: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  if (isDebugging() && thrown instanceof Error) terminal.warn(thrown.stack ?? '')
  else terminal.warn('tongs: set TONGS_DEBUG=1 for the stack trace')
  return 1
}

/** A machine that fails for now is no fault of ours, wherever it was met. */
function explainOutage(error: unknown): unknown {
  if (!isOutage(error) || !(error instanceof Error)) return error
  const { syscall = 'use', path = 'file' }: NodeJS.ErrnoException = error
  return ioFailure(error, syscall, path)
}

/** Whether TONGS_DEBUG asks for stack traces. */
export function isDebugging(): boolean {
  return process.env['TONGS_DEBUG'] === '1'
}

/** Reports every error on stderr, with its stack. */
export function createDebugReporter(terminal: Terminal): ErrorHandler {
  return ({ error, tool, execution, phase, state, stack }) => {
    const call = tool === null ? '' : ` of ${tool} (${execution ?? ''}), now ${state ?? ''}`
    terminal.warn(`tongs: debug: ${error.code} while ${phase}${call}`)
    if (stack !== null) terminal.warn(redactSecrets(stack))
  }
}
