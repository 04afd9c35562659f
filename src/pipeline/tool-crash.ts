import { ERRORS, toolError, ToolFailure } from '../core/error.ts'
import type { ToolError } from '../core/error.ts'
import { scanJsonValue } from '../core/json/scan-value.ts'
import { isJsonObject } from '../core/json/value.ts'
import { redactSecrets } from '../core/text/secrets/redact.ts'
import { sanitise } from '../core/text/display/sanitise.ts'
import { ellipsis } from '../core/text/truncate.ts'

const SHOWN_CHARS = 300

/** What was thrown for each error. It is for the error handler alone, so it lies beside the error and not in it. */
const origins = new WeakMap<ToolError, unknown>()

/** The error for whatever the code of a tool threw: the one it meant, or that it crashed. */
export function errorFrom(tool: string, thrown: unknown): ToolError {
  const error = meantError(thrown) ?? crashError(tool, thrown)
  origins.set(error, thrown)
  return error
}

/** What was thrown for an error; undefined where it was found without anything being thrown. */
export function originOf(error: ToolError): unknown {
  return origins.get(error)
}

/** The error for a fault of our own, or of the machine, outside of any tool. */
export function internalError(thrown: unknown): ToolError {
  const error = toolError('crashed', `Stopped by a fault outside of any call: ${harmless(thrown)}`)
  origins.set(error, thrown)
  return error
}

/** Whatever it says is written down and shown, so what cannot be written down is left out of it. */
function meantError(thrown: unknown): ToolError | null {
  try {
    if (!(thrown instanceof ToolFailure)) return null
    const { code, message, details, recovery } = thrown.error
    if (!Object.hasOwn(ERRORS, code)) return null
    const isWritable = isJsonObject(details) && scanJsonValue(details).length === 0
    return {
      code,
      message: String(message),
      details: isWritable ? details : {},
      recovery: Array.isArray(recovery) ? recovery.map(String) : [],
    }
  } catch {
    return null
  }
}

/** Its words are made harmless first. */
function crashError(tool: string, thrown: unknown): ToolError {
  return toolError('crashed', `Tool crashed: ${harmless(thrown)}`, { tool }, [
    'This is a fault of the tool, not of the call; try another way.',
  ])
}

function harmless(thrown: unknown): string {
  return ellipsis(sanitise(redactSecrets(wordsOf(thrown)), { oneLine: true }), SHOWN_CHARS)
}

function wordsOf(thrown: unknown): string {
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
