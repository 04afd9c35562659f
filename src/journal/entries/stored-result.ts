import type { ToolResult } from '../../core/result.ts'
import type { JsonValue } from '../../core/json/value.ts'
import type { SharedText } from './shared-text.ts'
import { joinText, shareText } from './shared-text.ts'
import type { DeclaredCall, SettledEntry } from './entry.ts'

/** What a call is called by its caller. */
export type CallLabel = Pick<DeclaredCall, 'execution' | 'id'>

/** The parts of a result that the entry of its call does not have; two calls with the same outcome share them. */
type StoredResult = Omit<ToolResult, 'id' | 'name' | 'execution' | 'content'> & {
  /** Absent if it is the result as JSON; in pieces if it repeats texts of the result. */
  readonly content?: string | SharedText
}

/** Formats a result for storage, without what its entry or the result itself says anyway. */
export function formatResult(result: ToolResult): string {
  const { content } = result
  const isDerived = result.ok && content.startsWith('{') && content === JSON.stringify(result.result)
  const shared = result.ok && !isDerived ? shareText(content, result.result) : null
  // JSON leaves out what is undefined; taking the members out of a copy would cost more than writing the rest.
  return JSON.stringify({
    ...result,
    ...UNSTORED,
    content: isDerived ? undefined : (shared ?? content),
  } satisfies Unstored)
}

/** What the entry of a call says of its result. */
const UNSTORED = { id: undefined, name: undefined, execution: undefined }

type Unstored = { readonly [Key in keyof StoredResult]: StoredResult[Key] | undefined } & typeof UNSTORED

/** A stored result as it was given to the caller. `found` is its payload as JSON; earlier versions stored all of it. */
export function restoreResult(
  found: Readonly<Record<string, unknown>>,
  entry: SettledEntry,
  calls: readonly CallLabel[],
): ToolResult {
  if (found['execution'] !== undefined) return found as unknown as ToolResult
  const { ok, result, error, content, ...rest } = found
  const outcome = ok === true ? { ok, result } : { ok, error }
  return {
    id: idOf(entry, calls),
    name: entry.name,
    ...outcome,
    content: restoreContent(content, result),
    execution: executionOf(entry),
    ...rest,
  } as unknown as ToolResult
}

function restoreContent(content: unknown, result: unknown): unknown {
  if (content === undefined) return JSON.stringify(result)
  return Array.isArray(content) ? joinText(content, result as JsonValue) : content
}

/** Where and how long a settled call ran. */
export function executionOf({
  execution,
  moves,
  durationMs,
  grant,
  attempts,
}: SettledEntry): ToolResult['execution'] {
  return {
    id: execution,
    state: moves.at(-1)?.state ?? 'FAILED',
    duration_ms: durationMs,
    ...(grant === undefined ? {} : { grant: grant.id }),
    ...(attempts === undefined ? {} : { attempts: attempts.length + 1 }),
  }
}

/** The caller's label of a settled call. */
export function idOf({ execution }: SettledEntry, calls: readonly CallLabel[]): string {
  return calls.find((call) => call.execution === execution)?.id ?? ''
}
