import type { ToolCallLocation, ToolCallStatus, ToolKind } from '@agentclientprotocol/sdk'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'
import { describeFailedCommand } from '../../core/result.ts'

const KINDS: Readonly<Record<string, ToolKind>> = {
  delete_path: 'delete',
  glob: 'search',
  list_directory: 'search',
  list_files: 'search',
  move_path: 'move',
  search: 'search',
  task: 'think',
  todo_write: 'think',
}
const KIND_OF_EFFECT: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  edit: 'edit',
  spawn: 'execute',
  external: 'fetch',
}

/** What an editor draws beside a call: by its tool, else by the most it may do. */
export function kindOf(tool: string, effect: string | null): ToolKind {
  const known = Object.hasOwn(KINDS, tool) ? KINDS[tool] : undefined
  return known ?? KIND_OF_EFFECT[effect ?? ''] ?? 'other'
}

/** How a call has ended: a command that failed did, although its call succeeded. */
export function statusOf(result: ToolResult): ToolCallStatus {
  if (result.ok) return describeFailedCommand(result) === null ? 'completed' : 'failed'
  return isWaiting(result) ? 'pending' : 'failed'
}

/** Whether a call has no result yet, because a person has to answer first. */
export function isWaiting(result: ToolResult): boolean {
  return !result.ok && (result.error.code === 'approval_required' || result.error.code === 'held')
}

/** The places that the arguments of a call name; `toAbsolute` gives null for what is none. */
export function locationsOf(
  args: JsonObject,
  toAbsolute: (path: string) => string | null,
): readonly ToolCallLocation[] {
  const patch = typeof args['patch'] === 'string' ? args['patch'] : ''
  const patched = [...patch.matchAll(/^F (.+)$/gm)].map(([, path = '']) => ({ path, line: undefined }))
  const edits: readonly JsonValue[] = Array.isArray(args['edits']) ? args['edits'] : []
  const edited = edits.flatMap((edit) => (isJsonObject(edit) ? namedIn(edit) : []))
  const named = [...namedIn(args), ...patched, ...edited].slice(0, MOST_PLACES)
  const places = named.flatMap(({ path, line }) => toLocation(toAbsolute(path), line))
  return places.filter(
    ({ path, line }, at) => places.findIndex((one) => one.path === path && one.line === line) === at,
  )
}

interface Named {
  readonly path: string
  readonly line: JsonValue | undefined
}

/** The paths that arguments name by themselves, with the line that they mean. */
function namedIn(args: JsonObject): readonly Named[] {
  const line = args['start_line'] ?? args['line']
  return ['path', 'file', 'from', 'to'].flatMap((key) => {
    const path = args[key]
    return typeof path === 'string' ? [{ path, line }] : []
  })
}

/** The places that a result points to, such as matches of a search and tests that failed. */
export function placesIn(
  result: ToolResult,
  toAbsolute: (path: string) => string | null,
): readonly ToolCallLocation[] {
  if (!result.ok) return []
  const rows = [result.result['matches'], result.result['failures']].find((value) => Array.isArray(value))
  if (!Array.isArray(rows)) return []
  return (rows as readonly unknown[]).slice(0, MOST_PLACES).flatMap((row) => {
    if (!isJsonObject(row)) return []
    const name = row['path'] ?? row['file']
    return toLocation(typeof name === 'string' ? toAbsolute(name) : null, row['line'])
  })
}

function toLocation(path: string | null, line: JsonValue | undefined): readonly ToolCallLocation[] {
  if (path === null) return []
  return [typeof line === 'number' ? { path, line } : { path }]
}

const MOST_PLACES = 100
