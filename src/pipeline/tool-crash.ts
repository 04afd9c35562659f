import { ERRORS, toolError, ToolFailure } from '../core/error.ts'
import type { ToolError } from '../core/error.ts'
import { scanJsonValue } from '../core/json/scan-value.ts'
import { isJsonObject } from '../core/json/value.ts'
import { redactSecrets } from '../core/text/secrets/redact.ts'
import { sanitise } from '../core/text/display/sanitise.ts'
import { ellipsis } from '../core/text/truncate.ts'
import { JournalError } from '../journal/journal-error.ts'

const SHOWN_CHARS = 300

/** The value thrown for each error. Only the error handler may see it, so it is not part of the error itself. */
const origins = new WeakMap<ToolError, unknown>()

/** The error for a value that a tool's code threw: the failure it meant, one of the journal behind it, or a crash. */
export function errorFrom(tool: string, thrown: unknown): ToolError {
  const error = intendedError(thrown) ?? journalError(thrown) ?? crashError(tool, thrown)
  origins.set(error, thrown)
  return error
}

/** The value thrown for an error; undefined if nothing was thrown. */
export function originOf(error: ToolError): unknown {
  return origins.get(error)
}

/** The error for a fault of the runtime or of the machine, outside of any tool. */
export function internalError(thrown: unknown): ToolError {
  const error = toolError('crashed', `Internal error outside of any call: ${describeThrown(thrown)}`)
  origins.set(error, thrown)
  return error
}

/** The error is recorded and shown, so details that cannot be serialized are left out. */
function intendedError(thrown: unknown): ToolError | null {
  try {
    if (!(thrown instanceof ToolFailure)) return null
    const { code, message, details, recovery } = thrown.error
    if (!Object.hasOwn(ERRORS, code)) return null
    const isSerializable = isJsonObject(details) && scanJsonValue(details).length === 0
    return {
      code,
      message: String(message),
      details: isSerializable ? details : {},
      recovery: Array.isArray(recovery) ? recovery.map(String) : [],
    }
  } catch {
    return null
  }
}

/** What was seen of a file is in the journal; if that cannot be read, the tool is not to blame. */
function journalError(thrown: unknown): ToolError | null {
  if (!(thrown instanceof JournalError)) return null
  return toolError('execution_failed', describeThrown(thrown), { reason: 'journal' }, [thrown.hint])
}

function crashError(tool: string, thrown: unknown): ToolError {
  return toolError('crashed', `Tool panicked: ${describeThrown(thrown)}`, { tool }, [
    'This is a bug in the tool, not in the call; try another approach.',
  ])
}

/** The message of a thrown value, redacted and sanitized. */
function describeThrown(thrown: unknown): string {
  return ellipsis(sanitise(redactSecrets(messageOf(thrown)), { oneLine: true }), SHOWN_CHARS)
}

function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) {
      const { message, name } = thrown
      return String(message === '' ? name : message)
    }
    return typeof thrown === 'string' ? thrown : `it threw ${typeof thrown}`
  } catch {
    return 'it threw something that cannot be described'
  }
}
