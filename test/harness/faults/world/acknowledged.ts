import type { ToolResult } from '../../../../src/core/result.ts'

/** Something a process had told the world before it died. */
export type Acknowledged =
  | { readonly is: 'result'; readonly execution: string; readonly code: string | null }
  /** It is committed, and not in place yet. */
  | { readonly is: 'in_doubt'; readonly execution: string }
  | { readonly is: 'waiting'; readonly approval: string }
  | { readonly is: 'reverted'; readonly calls: readonly string[] }
  | { readonly is: 'recovered' }

/** What a result tells: how a call ended, or that it waits. */
export function readResult(result: ToolResult): readonly Acknowledged[] {
  const execution = result.execution.id
  if (!result.ok && result.error.code === 'in_doubt') return [{ is: 'in_doubt', execution }]
  if (result.ok) return [{ is: 'result', execution, code: null }]
  if (result.error.code !== 'approval_required') return [{ is: 'result', execution, code: result.error.code }]
  const { approval } = result.error.details
  return typeof approval === 'string' ? [{ is: 'waiting', approval }] : []
}

/** Reads what a command printed as JSON lines; half a line tells nothing. */
export function readPrinted(text: string): readonly Acknowledged[] {
  return text.split('\n').flatMap((line) => {
    const row = parse(line)
    if (row === null) return []
    if ('acknowledged' in row) return [row['acknowledged'] as Acknowledged]
    if (typeof row['execution'] === 'object' && 'ok' in row) return readResult(row as unknown as ToolResult)
    if (row['ok'] === true && Array.isArray(row['calls']))
      return [{ is: 'reverted', calls: row['calls'] as string[] }]
    return 'choice' in row ? [{ is: 'recovered' }] : []
  })
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
