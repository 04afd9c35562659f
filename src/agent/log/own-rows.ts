import type { ToolResult } from '../../core/result.ts'

/**
 * Joins what the runtime ran on its own account to the result it stands before: a model is answered once for each of its
 * calls, and nothing it did not ask for has a call to belong to.
 */
export function joinOwnRows(results: readonly ToolResult[]): readonly ToolResult[] {
  const joined: ToolResult[] = []
  let own: string[] = []
  for (const result of results) {
    if (result.origin === 'runtime') {
      own.push(`${result.name} was run first: ${result.content}`)
      continue
    }
    joined.push(own.length === 0 ? result : { ...result, content: [...own, result.content].join('\n\n') })
    own = []
  }
  return joined
}
