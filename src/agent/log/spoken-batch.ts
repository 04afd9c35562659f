import type { Attachment } from '../../core/attachment/attachment.ts'
import type { ToolResult } from '../../core/result.ts'
import type { BatchEntry, RecoveredEntry, RevertedEntry, SettledEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import { readResult, readRolledBack } from '../../journal/folds/read-result.ts'

/** The calls of a message and their results. */
export interface SpokenBatch {
  readonly entry: BatchEntry
  readonly results: ReadonlyMap<string, ToolResult>
  /** Batches that the runtime ran by itself, with the call that each came before. */
  readonly ahead: ReadonlyMap<string, AheadBatch>
  /** How it was recovered, if it was interrupted. */
  readonly recovered: 'resume' | 'discard' | null
}

/** Calls that the runtime made before one of a message. */
interface AheadBatch {
  readonly before: string
  readonly calls: number
  readonly results: readonly ToolResult[]
}

/** A batch without results yet. */
export function beginBatch(entry: BatchEntry): SpokenBatch {
  return { entry, results: new Map(), ahead: new Map(), recovered: null }
}

/** The batch after one more log entry; most entries are about other batches. */
export function foldIntoBatch(
  batch: SpokenBatch | null,
  entry: BatchEntry | SettledEntry | RecoveredEntry | RevertedEntry,
  payload: SessionLog['payload'],
): SpokenBatch | null {
  if (batch === null) return null
  if (entry.kind === 'batch') {
    if (entry.ahead === undefined) return batch
    const first: AheadBatch = { before: entry.ahead, calls: entry.calls.length, results: [] }
    return { ...batch, ahead: new Map(batch.ahead).set(entry.batch, first) }
  }
  if (entry.kind === 'recovered')
    return entry.batch === batch.entry.batch ? { ...batch, recovered: entry.choice } : batch
  if (entry.kind !== 'settled') {
    const now = readRolledBack(entry, payload)
    if (now === null || !batch.results.has(now.execution.id)) return batch
    return { ...batch, results: new Map(batch.results).set(now.execution.id, now) }
  }
  const first = batch.ahead.get(entry.batch)
  if (first === undefined && entry.batch !== batch.entry.batch) return batch
  const result = readResult(entry, batch.entry.calls, payload)
  if (first === undefined) return { ...batch, results: new Map(batch.results).set(entry.execution, result) }
  const results = [...first.results, result]
  return { ...batch, ahead: new Map(batch.ahead).set(entry.batch, { ...first, results }) }
}

/** The results of a batch in call order; what the runtime ran before a call comes before its result. */
export function rowsOf({ entry, results, ahead }: SpokenBatch): readonly ToolResult[] {
  const first = [...ahead.values()]
  return entry.calls.flatMap(({ execution }) => {
    const result = results.get(execution)
    if (result === undefined) return []
    return [...first.filter(({ before }) => before === execution).flatMap((one) => one.results), result]
  })
}

/** Whether every call of a batch has its result, and whatever the runtime ran before them. */
export function isWhole({ entry, results, ahead }: SpokenBatch): boolean {
  if (!entry.calls.every(({ execution }) => results.has(execution))) return false
  return ahead.values().every((first) => first.results.length >= first.calls)
}

/**
 * Adds what the runtime ran by itself to the result that follows it: a model expects exactly one result per call, and
 * these results belong to no call of its own.
 */
export function joinOwnRows(results: readonly ToolResult[]): readonly ToolResult[] {
  const joined: ToolResult[] = []
  let own: string[] = []
  let shown: Attachment[] = []
  for (const result of results) {
    if (result.origin === 'runtime') {
      own.push(`${result.name} was run first: ${result.content}`)
      shown.push(...(result.attached ?? []))
      continue
    }
    const attached = [...shown, ...(result.attached ?? [])]
    joined.push(
      own.length === 0
        ? result
        : {
            ...result,
            content: [...own, result.content].join('\n\n'),
            ...(attached.length === 0 ? {} : { attached }),
          },
    )
    own = []
    shown = []
  }
  return joined
}
