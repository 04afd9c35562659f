import type { ToolResult } from '../../core/result.ts'
import type { LiveEvent } from '../../pipeline/engine.ts'
import { printProgress } from '../../terminal/progress-notice.ts'
import { safe } from './terminal.ts'
import type { Terminal } from './terminal.ts'

/** Shows what commands print while they run, and knows which of them it has shown. */
export interface OutputStream {
  readonly onEvent: (event: LiveEvent) => void
  /** What is left to say about a result whose output was shown; null if its output was not. */
  readonly rest: (result: ToolResult) => readonly string[] | null
}

/** Streams to a terminal. Piped output and JSON are for programs, which get each result once and whole. */
export function streamOutput(terminal: Terminal): OutputStream {
  const shown = new Set<string>()
  // Created on demand, because the first access to stderr is slow.
  const showLanding = (done: number, total: number): void => {
    endLine()
    printProgress('landing', {
      write: terminal.writeNotice,
      clearRow: terminal.clearNotice,
      canRewrite: process.stderr.isTTY === true,
    })(done, total)
  }
  let isLineOpen = false
  const endLine = (): void => {
    if (isLineOpen) terminal.print('')
    isLineOpen = false
  }
  return {
    onEvent(event) {
      if (event.event === 'landing') showLanding(event.done, event.total)
      if (event.event !== 'output' || event.chunk === '') return
      shown.add(event.execution)
      terminal.write(safe(event.chunk))
      isLineOpen = !event.chunk.endsWith('\n')
    },
    rest(result) {
      endLine()
      const outcome = result.ok ? result.result : result.error.details
      // Some tools report on what they show, and that is not in it.
      if (!shown.has(result.execution.id) || typeof outcome['stdout'] !== 'string') return null
      return result.ok ? factsOf(outcome) : [firstLine(result.content)]
    },
  }
}

function factsOf({ exit_code, signal, wanted, left_for_git }: Readonly<Record<string, unknown>>) {
  return [
    ...(typeof exit_code === 'number' && exit_code !== 0 ? [`exit code ${exit_code}`] : []),
    ...(typeof signal === 'string' ? [`ended by ${signal}`] : []),
    ...(typeof wanted === 'string' ? [wanted] : []),
    ...(Array.isArray(left_for_git) ? left_for_git.map(String) : []),
  ]
}

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1)
  return line
}
