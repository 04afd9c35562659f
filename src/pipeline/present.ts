import { toolError } from '../core/error.ts'
import type { ToolError } from '../core/error.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { JsonObject } from '../core/json/value.ts'
import { byteLength, truncateText } from '../core/text/truncate.ts'
import type { Tool } from '../core/tool.ts'

/** The text a model is given for a result, or the error of a result that cannot be made to fit. */
export type Presented =
  | { readonly ok: true; readonly content: string }
  | { readonly ok: false; readonly error: ToolError }

/** Turns a result into text within the limit. Plain text is cut with a marker; anything else has to fit by itself. */
export function presentOutput(tool: Tool, output: JsonObject, maxBytes: number): Presented {
  const text = tool.present.text(output)
  const { mayTruncate } = tool.present
  if (typeof mayTruncate === 'function' ? mayTruncate(output) : mayTruncate) {
    return { ok: true, content: truncateText(text, maxBytes).text }
  }
  if (byteLength(text) <= maxBytes) return { ok: true, content: text }
  const message = `The output budget of ${maxBytes} bytes is too small for this result of ${byteLength(text)} bytes. Ask for less.`
  return { ok: false, error: toolError('execution_failed', message, { max_output_bytes: maxBytes }) }
}

/** The text a model is given for an error. A message that is a JSON object goes through untouched while it fits. */
export function presentError(name: string, error: ToolError, maxBytes: number): string {
  if (error.code === 'stale_file')
    return truncateText(error.message + describeFresh(error.details), maxBytes).text
  if (error.code !== 'execution_failed') return truncateText(error.message, maxBytes).text
  if (isJsonText(error.message) && byteLength(error.message) <= maxBytes) return error.message
  return truncateText(`${name} failed: ${error.message}`, maxBytes).text
}

/** Which file was stale, and its lines as they are now where the refusal shows them. */
function describeFresh({ file, fresh }: JsonObject): string {
  const named = typeof file === 'string' ? `: ${file}` : ''
  if (!isJsonObject(fresh) || typeof fresh['text'] !== 'string') return named
  return `${named}\nLines ${String(fresh['start_line'])} to ${String(fresh['end_line'])} are now:\n${fresh['text']}`
}

function isJsonText(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false
  try {
    return isJsonObject(JSON.parse(text))
  } catch {
    return false
  }
}
