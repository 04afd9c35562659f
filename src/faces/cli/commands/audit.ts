import type { ParsedLine } from '../arguments.ts'
import { findFolders, openRuntime } from '../open.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../errors.ts'

/** `tongs audit verify|export`: checks the chain, or prints the audit trail. */
export async function audit(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [verb] = line.words
  if (verb === 'verify') return verify(line, terminal)
  if (verb === 'export') return exportEvents(line, terminal)
  throw new UsageError(`unknown audit command ${JSON.stringify(verb)}`, 'try audit verify or audit export')
}

async function verify(line: ParsedLine, terminal: Terminal): Promise<number> {
  const { verifyStore } = await import('../../../journal/chain/verify-store.ts')
  const { root, stateDir } = findFolders(line)
  const session = line.value('--session')
  const report = verifyStore(stateDir, session === undefined ? {} : { session: { root, name: session } })
  if (line.has('--json')) terminal.json(report)
  else if (report.ok)
    terminal.print(
      `The log is whole: ${report.events} entries in ${report.sessions} ${report.sessions === 1 ? 'session' : 'sessions'}, ${report.erased} erased contents.`,
    )
  else {
    const { session: name, seq, why } = report.first_bad ?? { session: '?', seq: 0, why: 'unknown' }
    terminal.warn(`tongs: the log does not verify: session ${String(name)}, entry ${seq}: ${why}`)
  }
  return report.ok ? 0 : 1
}

async function exportEvents(line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    const session = line.value('--session')
    for (const event of runtime.audit(session === undefined ? {} : { session })) {
      if (line.has('--json')) terminal.json(event)
      else
        terminal.print(
          safe(
            `${new Date(event.timestamp).toISOString()}  ${event.state.padEnd(11)} ${event.toolId}  ${event.executionId}`,
          ),
        )
    }
    return 0
  } finally {
    await runtime.close()
  }
}
