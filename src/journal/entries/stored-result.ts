import type { ToolResult } from '../../core/result.ts'
import type { JsonValue } from '../../core/json/value.ts'
import { joinText, shareText } from './shared-text.ts'
import type { DeclaredCall, SettledEntry } from './entry.ts'

/** What a call is called by its caller. */
export type CallLabel = Pick<DeclaredCall, 'execution' | 'id'>

/**
 * Formats a result for storage: the parts that its entry does not have, so that two calls with the same outcome share
 * them. The content is left out if it is the result as JSON, and in pieces if it repeats texts of the result.
 */
export function formatResult(result: ToolResult): string {
  const { content } = result
  const isDerived = result.ok && content.startsWith('{') && content === JSON.stringify(result.result)
  const shared = result.ok && !isDerived ? shareText(content, result.result) : null
  // In the order in which a result has them; JSON leaves out what is undefined. Naming the members is several times quicker than copying all of them.
  return JSON.stringify({
    ok: result.ok,
    result: result.ok ? result.result : undefined,
    error: result.ok ? undefined : result.error,
    content: isDerived ? undefined : (shared ?? content),
    continuation: result.continuation,
    origin: result.origin,
    warnings: result.warnings,
    hidden: result.hidden,
    attached: result.attached,
  } satisfies Stored)
}

/** A member that is missing in what is stored does not compile. */
type Stored = { readonly [Key in StoredKey]-?: unknown }
type StoredKey = Exclude<KeyOfAny<ToolResult>, 'id' | 'name' | 'execution'>
type KeyOfAny<Union> = Union extends unknown ? keyof Union : never

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
