import { toolError, viewError } from '../../core/error.ts'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'
import type { RevertedEntry, SettledEntry } from '../entries/entry.ts'
import { executionOf, idOf, restoreResult } from '../entries/stored-result.ts'
import type { CallLabel } from '../entries/stored-result.ts'
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

/** The recorded result of a call; null if the content was erased. */
export function readStored(
  entry: SettledEntry,
  calls: readonly CallLabel[],
  payload: LogReader['payload'],
): ToolResult | null {
  const bytes = payload(entry.result)
  const found = bytes === null ? null : parseJson(utf8.decode(bytes))
  return isJsonObject(found) ? restoreResult(found, entry, calls) : null
}

/** The recorded result of a call, or what the log still knows about it if the content was erased. */
export function readResult(
  entry: SettledEntry,
  calls: readonly CallLabel[],
  payload: LogReader['payload'],
): ToolResult {
  const stored = readStored(entry, calls, payload)
  if (stored !== null) return stored
  const { name, error } = entry
  const execution = { ...executionOf(entry), duration_ms: 0 }
  const content = `[this result was erased; the call had ended as ${execution.state}]`
  const row = { id: idOf(entry, calls), name, content, execution }
  if (error === null) return { ...row, ok: true, result: {} }
  return { ...row, ok: false, error: viewError(toolError(error.code, content), 'before') }
}
