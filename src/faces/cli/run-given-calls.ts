import { USUAL_SESSION } from '../../config/fixed-values.ts'
import type { ToolCall } from '../../core/call.ts'
import type { ParsedLine } from './arguments.ts'
import { openRuntime } from './open.ts'
import { showResults } from './show-results.ts'
import { stopBatchOnSignals } from './signals.ts'
import type { Terminal } from './terminal.ts'

/** Runs calls in the session the line names, until they end or the user stops them. */
export async function runGivenCalls(
  calls: readonly unknown[],
  line: ParsedLine,
  terminal: Terminal,
): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  const stop = new AbortController()
  const release = stopBatchOnSignals(stop, terminal)
  try {
    const session = line.value('--session') ?? USUAL_SESSION
    const results = await runtime.run(calls as readonly ToolCall[], {
      session,
      signal: stop.signal,
      dryRun: line.has('--dry-run'),
    })
    return showResults(results, line.has('--json'), terminal)
  } finally {
    await runtime.close()
    release()
  }
}
