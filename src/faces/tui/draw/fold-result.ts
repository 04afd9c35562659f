import { describeBytes } from '../../../core/text/describe-bytes.ts'
import type { JsonObject, JsonValue } from '../../../core/json/value.ts'
import { isJsonObject } from '../../../core/json/value.ts'
import { describeFailedCommand } from '../../../core/result.ts'
import type { ToolResult } from '../../../core/result.ts'

/** What reading or searching found, in a few words that take the place of the result; null if the result has to be seen. */
export function describeFound(result: ToolResult): string | null {
  if (!result.ok) return null
  const { result: value } = result
  if (value['diff'] !== undefined) return null
  const more = value['truncated'] === true ? ', and more' : ''
  const { matches, entries, files } = value
  if (isList(matches)) return describeMatches(matches) + more
  if (isList(entries)) return count(entries.length, 'entry', 'entries') + more
  if (isList(files)) return describeFiles(files) + more
  if (typeof value['content'] !== 'string') return null
  return typeof value['encoding'] === 'string' ? describeRead(value, more) : describePage(value)
}

function describeRead({ encoding, total_lines: total, range, size }: JsonObject, more: string): string {
  if (encoding === 'base64' || typeof total !== 'number')
    return typeof size === 'number' ? describeBytes(size) : 'read'
  const [from, to] = isJsonObject(range) ? [range['start_line'], range['end_line']] : []
  const shown = typeof from === 'number' && typeof to === 'number' ? to - from + 1 : total
  return shown < total ? `${shown} of ${count(total, 'line', 'lines')}` : count(total, 'line', 'lines') + more
}

function describePage({ bytes, status, redirect }: JsonObject): string | null {
  if (typeof bytes !== 'number' || typeof redirect === 'string') return null
  return [
    ...(typeof status === 'number' && status !== 200 ? [`status ${status}`] : []),
    describeBytes(bytes),
  ].join(', ')
}

function describeMatches(matches: readonly JsonValue[]): string {
  if (matches.length === 0) return 'no matches'
  const files = new Set(matches.map((match) => (isJsonObject(match) ? match['path'] : null))).size
  return `${count(matches.length, 'match', 'matches')} in ${count(files, 'file', 'files')}`
}

function describeFiles(files: readonly JsonValue[]): string {
  const symbols = files.flatMap((file) =>
    isJsonObject(file) && isList(file['symbols']) ? file['symbols'] : [],
  )
  const named = files.length === 0 ? 'no files' : count(files.length, 'file', 'files')
  return symbols.length === 0 ? named : `${count(symbols.length, 'symbol', 'symbols')} in ${named}`
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

/** How a command or tests failed, in a few words; null if they did not. */
export function describeFailure(result: ToolResult | null): string | null {
  if (result === null) return null
  if (result.ok) return describeFailedCommand(result)
  const { details } = result.error
  const exit = isJsonObject(details) ? details['exit_code'] : null
  return typeof exit === 'number' && exit !== 0 ? `exit code ${exit}` : null
}
