import { redactSecrets } from '../../core/text/secrets/redact.ts'
import type { ErrorHandler } from '../../runtime/observe/outside-code.ts'
import { safe } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** Whether somebody wants to see where errors come from. */
export function isDebugging(): boolean {
  return process.env['TONGS_DEBUG'] === '1'
}

/** Tells about every error on stderr, with its stack. */
export function createDebugReporter(terminal: Terminal): ErrorHandler {
  return ({ error, tool, execution, phase, state, stack }) => {
    const call = tool === null ? '' : ` of ${tool} (${execution ?? ''}), now ${state ?? ''}`
    terminal.complain(safe(`tongs: debug: ${error.code} while ${phase}${call}`))
    if (stack !== null) terminal.complain(safe(redactSecrets(stack)))
  }
}
