import { toolError, viewError } from '../../core/error.ts'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'
import type { DeclaredCall, RevertedEntry, SettledEntry } from '../entries/entry.ts'
import type { LogReader } from '../log.ts'

const utf8 = new TextDecoder()

/** The result that a roll-back gave its call; null for an ordinary undo, or if the content was erased. */
export function readRolledBack(
  { rollsBack }: RevertedEntry,
  payload: LogReader['payload'],
): ToolResult | null {
  const bytes = rollsBack === undefined || rollsBack.result === null ? null : payload(rollsBack.result)
  const found = bytes === null ? null : parseJson(utf8.decode(bytes))
  return isJsonObject(found) ? (found as unknown as ToolResult) : null
}

/** The recorded result of a call, or what the log still knows about it if the content was erased. */
export function readResult(
  { execution, name, result, error, moves }: SettledEntry,
  calls: readonly DeclaredCall[],
  payload: LogReader['payload'],
): ToolResult {
  const bytes = payload(result)
  const found = bytes === null ? null : parseJson(utf8.decode(bytes))
  // Results are recorded as they were given.
  if (isJsonObject(found)) return found as unknown as ToolResult
  const id = calls.find((call) => call.execution === execution)?.id ?? ''
  const state = moves.at(-1)?.state ?? 'FAILED'
  const content = `[this result was erased; the call had ended as ${state}]`
  const row = { id, name, content, execution: { id: execution, state, duration_ms: 0 } }
  if (error === null) return { ...row, ok: true, result: {} }
  return { ...row, ok: false, error: viewError(toolError(error.code, content), 'before') }
}
