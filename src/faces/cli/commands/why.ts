import type { ParsedLine } from '../arguments.ts'
import { openRuntime } from '../open.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../trouble.ts'

/** `tongs why CALL`: which gate decided about a call, and on what. */
export async function why(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [prefix = ''] = line.words
  const runtime = await openRuntime(line, terminal)
  try {
    const found = runtime.why(prefix)
    if (found.length !== 1) {
      const hint =
        found.length === 0
          ? 'see tongs log for the calls there are'
          : `it could be ${found.map(({ execution }) => execution).join(', ')}`
      throw new UsageError(
        found.length === 0
          ? `no call begins with ${JSON.stringify(prefix)}`
          : `several calls begin with ${JSON.stringify(prefix)}`,
        hint,
      )
    }
    const [explained] = found
    if (line.has('--json')) terminal.json(explained)
    else if (explained !== undefined) {
      const { name, execution, verdict, state, gate, gates, error } = explained
      terminal.say(
        safe(`${name} (${execution}) was ${verdict} and is ${state}${error === null ? '' : `: ${error}`}`),
      )
      for (const row of gates) {
        const mark =
          row.verdict === 'pass'
            ? terminal.colour('green', 'pass')
            : terminal.colour(row.verdict === 'ask' ? 'yellow' : 'red', row.verdict.padEnd(4))
        terminal.say(`  ${mark}  ${safe(row.gate.padEnd(15))} ${safe(row.fact)}`)
      }
      if (verdict !== 'allowed' && gate !== '') terminal.say(safe(`decided by: ${gate}`))
    }
    return 0
  } finally {
    await runtime.close()
  }
}

/** `tongs stats`: the log in numbers. */
export async function stats(line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const session = line.value('--session')
    const figures = runtime.stats(session === undefined ? {} : { session })
    if (line.has('--json')) terminal.json(figures)
    else {
      terminal.say(
        `calls ${figures.calls}, completed ${figures.completed} (${share(figures.success_rate)}), denied ${figures.denied}, failed ${figures.failed}, rolled back ${figures.rolled_back}, aborted ${figures.aborted}`,
      )
      terminal.say(
        `files changed ${figures.files_changed}, calls undone ${figures.undone}, sessions ${figures.sessions}`,
      )
      for (const [name, row] of Object.entries(figures.by_tool)) {
        const { p50, p95, p99 } = row.duration_ms
        terminal.say(
          safe(
            `  ${name.padEnd(18)} ${String(row.calls).padStart(6)} calls  ${share(row.success_rate).padStart(7)}  p50 ${p50 ?? '-'} ms  p95 ${p95 ?? '-'} ms  p99 ${p99 ?? '-'} ms`,
          ),
        )
      }
      for (const [code, count] of Object.entries(figures.by_error))
        terminal.say(safe(`  ${code.padEnd(24)} ${count}`))
    }
    return 0
  } finally {
    await runtime.close()
  }
}

function share(rate: number | null): string {
  return rate === null ? '-' : `${(rate * 100).toFixed(1)} %`
}
