import type { Figures, ResourceFigures } from '../../../journal/folds/statistics.ts'
import type { ParsedLine } from '../arguments.ts'
import { chosenSession } from '../chosen-session.ts'
import { openHistory } from '../open.ts'
import { safe, safeWords } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

/** `tongs stats`: the log in numbers. */
export async function stats(line: ParsedLine, terminal: Terminal): Promise<number> {
  const history = await openHistory(line, terminal)
  try {
    const figures = history.stats(chosenSession(line, history, terminal))
    if (line.has('--json')) {
      terminal.json(figures)
      return 0
    }
    terminal.print(
      `calls ${figures.calls}, completed ${figures.completed} (${share(figures.success_rate)}), denied ${figures.denied}, failed ${figures.failed}, rolled back ${figures.rolled_back}, aborted ${figures.aborted}`,
    )
    terminal.print(
      `files changed ${figures.files_changed}, calls undone ${figures.undone}, sessions ${figures.sessions}`,
    )
    if (figures.resources !== null) terminal.print(describeUse(figures.resources))
    for (const [name, row] of Object.entries(figures.by_tool))
      terminal.print(`  ${safeWords(name).padEnd(18)} ${describeTool(row)}`)
    for (const [code, count] of Object.entries(figures.by_error))
      terminal.print(safe(`  ${code.padEnd(24)} ${count}`))
    return 0
  } finally {
    await history.close()
  }
}

function describeTool({
  calls,
  success_rate: rate,
  duration_ms: { p50, p95, p99 },
  resources,
}: Figures): string {
  const times = `p50 ${p50 ?? '-'} ms  p95 ${p95 ?? '-'} ms  p99 ${p99 ?? '-'} ms`
  const cpu = resources === null ? '' : `  cpu ${resources.cpu_ms} ms`
  return `${String(calls).padStart(6)} calls  ${share(rate).padStart(7)}  ${times}${cpu}`
}

function describeUse({
  measured,
  cpu_ms: cpu,
  max_rss_bytes: rss,
  fs_reads: reads,
  fs_writes: writes,
}: ResourceFigures) {
  const mebibytes = (rss / 1024 ** 2).toFixed(1)
  return `cpu ${cpu} ms, memory at most ${mebibytes} MiB, device reads ${reads}, device writes ${writes} (${measured} calls measured)`
}

function share(rate: number | null): string {
  return rate === null ? '-' : `${(rate * 100).toFixed(1)} %`
}
