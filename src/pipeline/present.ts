import { toolError, viewError } from '../core/error.ts'
import type { Phase, ToolError } from '../core/error.ts'
import { canonicalJson } from '../core/json/canonical.ts'
import { isJsonObject, parseJson } from '../core/json/value.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Execution, FailedResult } from '../core/result.ts'
import { byteLength, isLonger, truncateText } from '../core/text/truncate.ts'
import type { Tool } from '../core/tool.ts'
import { errorFrom } from './tool-crash.ts'

/** A result as the model is given it and as it is hashed, or the error of one that cannot be shown. */
export type Presented =
  | { readonly ok: true; readonly content: string; readonly canonical: string }
  | { readonly ok: false; readonly error: ToolError }

/** Turns a result into text within the limit. The tool may have a say in it, and what it throws is its error. */
export function presentOutput(tool: Tool, output: JsonObject, maxBytes: number): Presented {
  try {
    const content = textOf(tool, output, maxBytes)
    return typeof content === 'string'
      ? { ok: true, content, canonical: canonicalJson(output) }
      : { ok: false, error: content }
  } catch (thrown) {
    return { ok: false, error: errorFrom(tool.name, thrown) }
  }
}

/** Plain text is cut with a marker; anything else has to fit by itself. */
function textOf(tool: Tool, output: JsonObject, maxBytes: number): string | ToolError {
  const text = tool.present.text(output)
  const { mayTruncate } = tool.present
  if (typeof mayTruncate === 'function' ? mayTruncate(output) : mayTruncate)
    return truncateText(text, maxBytes).text
  if (!isLonger(text, maxBytes)) return text
  const message = `The output budget of ${maxBytes} bytes is too small for this result of ${byteLength(text)} bytes. Ask for less.`
  return toolError('execution_failed', message, { max_output_bytes: maxBytes })
}

/** The text of a result from which secrets were taken out; it says so, where its JSON does not already. */
export function presentShielded(tool: Tool, output: JsonObject, maxBytes: number): string {
  const note = String(output['redacted'])
  const presented = presentOutput(tool, output, maxBytes)
  // Only the words about it can have made it too large.
  if (!presented.ok) return truncateText(note, maxBytes).text
  if (presented.content.includes(note)) return presented.content
  const line = `\n\n[${note}]`
  const room = maxBytes - byteLength(line)
  return room < 0
    ? truncateText(presented.content, maxBytes).text
    : truncateText(presented.content, room).text + line
}

/** A failed result in both its forms, the words and the object for programs. They are made here and nowhere else. */
export function presentFailure(
  { id, name }: { readonly id: string; readonly name: string },
  { error, phase }: { readonly error: ToolError; readonly phase: Phase },
  execution: Execution,
  maxBytes = Infinity,
): FailedResult {
  return {
    id,
    name,
    ok: false,
    error: viewError(error, phase),
    content: presentError(name, error, maxBytes),
    execution,
  }
}

/** The text a model is given for an error: what happened, and what to do next. A message that is a JSON object goes through untouched while it fits. */
function presentError(name: string, error: ToolError, maxBytes: number): string {
  const { code, message, details, recovery } = error
  if (code === 'execution_failed' && isJsonText(message) && byteLength(message) <= maxBytes) return message
  // How a question is answered is for people only.
  const advice = code === 'approval_required' ? '' : recovery.map((line) => `\n${line}`).join('')
  const said =
    code === 'stale_file'
      ? message + describeFresh(details)
      : code === 'execution_failed'
        ? `${name} failed: ${message}`
        : message
  const room = maxBytes - byteLength(advice)
  return room > byteLength(advice)
    ? truncateText(said, room).text + advice
    : truncateText(said, maxBytes).text
}

/** Which file was stale, and its lines as they are now where the refusal shows them. */
function describeFresh({ file, fresh }: JsonObject): string {
  const named = typeof file === 'string' ? `: ${file}` : ''
  if (!isJsonObject(fresh) || typeof fresh['text'] !== 'string') return named
  return `${named}\nLines ${String(fresh['start_line'])} to ${String(fresh['end_line'])} are now:\n${fresh['text']}`
}

function isJsonText(text: string): boolean {
  return text.trimStart().startsWith('{') && isJsonObject(parseJson(text))
}
