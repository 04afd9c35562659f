import { exitCodeOf } from '../../core/error.ts'
import type { ToolResult } from '../../core/result.ts'
import { safe } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** Prints results as JSON lines or for people; returns their exit code. */
export function showResults(results: readonly ToolResult[], isJson: boolean, terminal: Terminal): number {
  for (const result of results) {
    for (const warning of result.warnings ?? []) terminal.warn(`tongs: ${warning}`)
    if (isJson) terminal.json(result)
    else showResult(result, results.length > 1, terminal)
  }
  return exitCodeOf(results.flatMap((result) => (result.ok ? [] : [result.error.code])))
}

function showResult(result: ToolResult, isOneOfMany: boolean, terminal: Terminal): void {
  if (isOneOfMany) {
    const mark = result.ok ? terminal.paint('green', 'ok') : terminal.paint('red', 'no')
    terminal.print(`${mark} ${safe(result.id)} ${safe(result.name)}`)
  }
  if (result.ok) {
    const text = safe(result.content)
    terminal.print(text.endsWith('\n') ? text.slice(0, -1) : text)
    return
  }
  terminal.warn(`: ${result.content}`, terminal.paint('red', result.error.code))
  // The content usually ends with the advice, unless there was no room.
  const missing = result.error.recovery.filter((hint) => !result.content.includes(hint))
  for (const hint of missing) terminal.warn(hint)
}
