import type { JsonObject, JsonValue } from '../../../core/json/value.ts'
import { isJsonObject } from '../../../core/json/value.ts'
import type { ToolResult } from '../../../core/result.ts'
import type { CallBlock } from '../view/view.ts'

/** A result in readable form; of a failure only what a process printed, since the reason is shown anyway. */
export function readable(result: ToolResult): string {
  if (!result.ok) return processText(result.error.details)
  const { result: value, content } = result
  const list = value['entries'] ?? value['files'] ?? value['matches']
  if (Array.isArray(list) && value['diff'] === undefined) {
    const rows = (list as readonly JsonValue[]).map(rowOf)
    return [...rows, ...(value['truncated'] === true ? ['… and more that is not listed'] : [])].join('\n')
  }
  if (typeof value['stdout'] === 'string') return processText(value)
  if (typeof value['report'] === 'string') return value['report']
  if (isJsonObject(value['task'])) return taskRow(value['task'])
  if (Array.isArray(value['tasks'])) return (value['tasks'] as readonly JsonValue[]).map(taskRow).join('\n')
  return content
}

function taskRow(item: JsonValue): string {
  if (!isJsonObject(item)) return JSON.stringify(item)
  const { id, title, status } = item
  return [id, status, title].filter((part) => typeof part === 'string').join('  ')
}

function rowOf(item: JsonValue): string {
  if (!isJsonObject(item)) return typeof item === 'string' ? item : JSON.stringify(item)
  const { path, name, line, column, before, match_text: match, after, type } = item
  const label = typeof path === 'string' ? path : typeof name === 'string' ? name : JSON.stringify(item)
  if (typeof line === 'number') {
    const found = [before, match, after].filter((part) => typeof part === 'string')
    return `${label}:${line}:${String(column)}: ${found.join('')}`
  }
  return type === 'dir' || type === 'directory' ? `${label}/` : label
}

/** What a process printed; how it ended is in the header row. */
function processText({ stdout, stderr }: JsonObject): string {
  const parts = [stdout, stderr].filter((part): part is string => typeof part === 'string' && part !== '')
  return parts.map((part) => part.trimEnd()).join('\n')
}

/** The file and line of a call, to open in an editor. */
export function fileOf({
  args,
  changes,
  result,
}: CallBlock): { readonly path: string; readonly line: number } | null {
  const path = changes[0]?.path ?? (typeof args?.['path'] === 'string' ? args['path'] : null)
  const matches = result?.ok === true ? result.result['matches'] : null
  const first: unknown = Array.isArray(matches) ? matches[0] : null
  if (path === null && isJsonObject(first) && typeof first['path'] === 'string')
    return { path: first['path'], line: typeof first['line'] === 'number' ? first['line'] : 1 }
  const line = args?.['start_line']
  return path === null ? null : { path, line: typeof line === 'number' ? line : 1 }
}
