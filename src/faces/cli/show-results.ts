import { exitCodeOf } from '../../core/error.ts'
import type { ToolResult } from '../../core/result.ts'
import type { OutputStream } from './stream-output.ts'
import { safe, safeWords } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** Prints results as JSON lines or for people; returns their exit code. */
export function showResults(
  results: readonly ToolResult[],
  isJson: boolean,
  terminal: Terminal,
  live: OutputStream | null = null,
): number {
  for (const result of results) {
    for (const warning of result.warnings ?? []) terminal.warn(`tongs: ${warning}`)
    if (isJson) terminal.json(result)
    else showResult(result, { isOneOfMany: results.length > 1, rest: live?.rest(result) ?? null }, terminal)
  }
  return exitCodeOf(results.flatMap((result) => (result.ok ? [] : [result.error.code])))
}

interface Showing {
  readonly isOneOfMany: boolean
  /** What is left to say if the output was shown while the call ran. */
  readonly rest: readonly string[] | null
}

function showResult(result: ToolResult, { isOneOfMany, rest }: Showing, terminal: Terminal): void {
  if (isOneOfMany) {
    const mark = result.ok ? terminal.paint('green', 'ok') : terminal.paint('red', 'no')
    terminal.print(`${mark} ${safeWords(result.id)} ${safeWords(result.name)}`)
  }
  if (result.ok) {
    if (rest !== null) {
      for (const text of rest) terminal.print(safe(text))
      return
    }
    const text = safe(result.content)
    terminal.print(text.endsWith('\n') ? text.slice(0, -1) : text)
    return
  }
  terminal.warn(
    `: ${rest === null ? result.content : rest.join('\n')}`,
    terminal.paint('red', result.error.code),
  )
  // The content usually ends with the advice, unless there was no room.
  const missing = result.error.recovery.filter((hint) => !result.content.includes(hint))
  for (const hint of missing) terminal.warn(hint)
}
