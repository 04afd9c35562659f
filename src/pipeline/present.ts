import { toolError, viewError } from '../core/error.ts'
import type { Phase, ToolError } from '../core/error.ts'
import { canonicalJson } from '../core/json/canonical.ts'
import { isJsonObject, parseJson } from '../core/json/value.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Execution, FailedResult } from '../core/result.ts'
import { showPath } from '../core/text/display/show-path.ts'
import { renderPlain } from '../core/text/plain-value.ts'
import { byteLength, isLonger, truncateText } from '../core/text/truncate.ts'
import type { OutputStyle, Tool } from '../core/tool.ts'
import { errorFrom } from './tool-crash.ts'

/** A result as the model receives it and as it is hashed, or the error of one that cannot be shown. */
export type Presented =
  | { readonly ok: true; readonly content: string; readonly canonical: string }
  | { readonly ok: false; readonly error: ToolError }

/** Turns a result into text within the limit. If the tool's own presentation throws, the call fails. */
export function presentOutput(
  tool: Tool,
  output: JsonObject,
  maxBytes: number,
  style: OutputStyle,
): Presented {
  try {
    const canonical = canonicalJson(output)
    const content = textOf(tool, output, canonical, { maxBytes, style })
    return typeof content === 'string' ? { ok: true, content, canonical } : { ok: false, error: content }
  } catch (thrown) {
    return { ok: false, error: errorFrom(tool.name, thrown) }
  }
}

/** Plain text is truncated with a marker; JSON, and what a tool fits itself, must fit as it is. */
function textOf(
  tool: Tool,
  output: JsonObject,
  canonical: string,
  { maxBytes, style }: { readonly maxBytes: number; readonly style: OutputStyle },
): string | ToolError {
  const { mayTruncate, isFixed = false } = tool.present
  const isJson = style === 'json' && !isFixed
  const own = isJson ? JSON.stringify(output) : tool.present.text(output)
  const told = sayPartial(output) + sayLanded(output)
  // A text that is not a string fails below, where the tool is named.
  const text = told === '' ? own : own + told
  const isText = typeof mayTruncate === 'function' ? mayTruncate(output) : mayTruncate
  if (isText && !isJson) return truncateText(text, maxBytes, sayWhole(tool, output)).text
  // Without a text of its own a tool vouches for its JSON only, which fenced calls are answered with.
  const isOwn = isJson || isFixed || tool.present.text !== renderPlain
  const fitted = isOwn && !isLonger(text, maxBytes) ? text : isJson || isFixed ? text : canonical
  if (!isLonger(fitted, maxBytes)) return isFixed ? text : truncateText(text, maxBytes).text
  const message = `The output budget of ${maxBytes} bytes is too small for this result of ${byteLength(fitted)} bytes. Request less.`
  return toolError('execution_failed', message, { max_output_bytes: maxBytes })
}

/** Tells the model that a person took only part of a change. */
function sayPartial({ partial, left_out: left }: JsonObject): string {
  if (partial !== true || !Array.isArray(left)) return ''
  const files = left.flatMap((one) =>
    isJsonObject(one) && Array.isArray(one['hunks']) ? [String(one['path'])] : [],
  )
  return `\n[A person took only part of this change; left out in: ${files.map(showPath).join(', ')}. Read these files again.]`
}

/** Tells the model that a change is not on disk. */
function sayLanded({ landed }: JsonObject): string {
  return landed === 'editor'
    ? '\n[The file has unsaved text in the editor, and the change was made there. Commands see it once the user saves it.]'
    : ''
}

/** Where to read a text that was cut; it stands before the marker. */
function sayWhole({ present }: Tool, output: JsonObject): string {
  const place = present.whole?.(output) ?? null
  return place === null ? '' : `\n[all of it: ${place}]`
}

/** The text of a result from which secrets were removed, with a note about it unless the text already contains one. */
export function presentShielded(
  tool: Tool,
  output: JsonObject,
  maxBytes: number,
  style: OutputStyle,
): string {
  const note = String(output['redacted'])
  const presented = presentOutput(tool, output, maxBytes, style)
  // Only the note can have made it too large.
  if (!presented.ok) return truncateText(note, maxBytes).text
  if (presented.content.includes(note)) return presented.content
  const line = `\n\n[${note}]`
  const room = maxBytes - byteLength(line)
  return room < 0
    ? truncateText(presented.content, maxBytes).text
    : truncateText(presented.content, room).text + line
}

/** A failed result in both its forms: text for the model, and an object for programs. Both are made only here. */
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

/** The text of an error for the model: what happened and what to do next. A message that is a JSON object is passed on unchanged if it fits. */
function presentError(name: string, error: ToolError, maxBytes: number): string {
  const { code, message, details, recovery } = error
  if (code === 'execution_failed' && isJsonText(message) && byteLength(message) <= maxBytes) return message
  // How to answer a question is advice for people only, and what the message says need not be said twice.
  const advice =
    code === 'approval_required'
      ? ''
      : recovery.flatMap((line) => (message.includes(line) ? [] : [`\n${line}`])).join('')
  const body =
    code === 'stale_file'
      ? message + describeFresh(details)
      : code === 'execution_failed'
        ? `${name} failed: ${message}`
        : message
  const room = maxBytes - byteLength(advice)
  return room > byteLength(advice)
    ? truncateText(body, room).text + advice
    : truncateText(body, maxBytes).text
}

/** Which file was stale, and its current lines if the refusal includes them. */
function describeFresh({ file, fresh }: JsonObject): string {
  const named = typeof file === 'string' ? `: ${file}` : ''
  if (!isJsonObject(fresh) || typeof fresh['text'] !== 'string') return named
  return `${named}\nLines ${String(fresh['start_line'])} to ${String(fresh['end_line'])} are now:\n${fresh['text']}`
}

function isJsonText(text: string): boolean {
  return text.trimStart().startsWith('{') && isJsonObject(parseJson(text))
}
