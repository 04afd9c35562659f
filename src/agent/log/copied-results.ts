import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'
import type { AssistantPart } from '../../model/model-client.ts'
import { readJson } from '../context/message-parts.ts'
import { beginBatch, joinOwnRows, rowsOf } from './spoken-batch.ts'
import type { SpokenBatch } from './spoken-batch.ts'

/** A result that was copied from another session, and the arguments of its call. */
export interface CopiedRow {
  readonly result: ToolResult
  /** Null if they are not an object. */
  readonly args: JsonObject | null
}

interface Copied {
  readonly rows: readonly CopiedRow[]
  readonly recovered: SpokenBatch['recovered']
}

/** The results of a batch as a copy of the conversation stores them. */
export function formatCopied(batch: SpokenBatch, parts: readonly AssistantPart[]): string {
  const texts = new Map(parts.flatMap((part) => (part.type === 'call' ? [[part.id, part.argsText]] : [])))
  const rows = joinOwnRows(rowsOf(batch)).map((result): CopiedRow => {
    const args = readJson(new TextEncoder().encode(texts.get(result.id) ?? 'null'))
    return { result, args: isJsonObject(args) ? args : null }
  })
  return JSON.stringify({ rows, recovered: batch.recovered } satisfies Copied)
}

/** The results of such a copy; none if they were erased. */
export function readCopiedRows(bytes: Uint8Array | null): readonly CopiedRow[] {
  return read(bytes)?.rows ?? []
}

/** The same as a batch. */
export function readCopied(bytes: Uint8Array | null, turn: string): SpokenBatch {
  const { rows, recovered } = read(bytes) ?? { rows: [], recovered: null }
  const calls = rows.map(({ result }) => ({
    execution: result.execution.id,
    id: result.id,
    name: result.name,
    args: '',
  }))
  const batch = beginBatch({ kind: 'batch', batch: '', turn, origin: 'model', actor: null, calls })
  return {
    ...batch,
    results: new Map(rows.map(({ result }) => [result.execution.id, result])),
    recovered,
  }
}

/** Written by Tongs and verified by its digest. */
function read(bytes: Uint8Array | null): Copied | null {
  const found = readJson(bytes)
  return isJsonObject(found) && Array.isArray(found['rows']) ? (found as unknown as Copied) : null
}
