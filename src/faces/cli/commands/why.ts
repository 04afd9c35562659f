import type { ParsedLine } from '../arguments.ts'
import { requireSession } from '../chosen-session.ts'
import { openHistory } from '../open.ts'
import { safe, safeWords } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { ambiguousCall, NotFoundError } from '../errors.ts'

/** `tongs why CALL`: which gate decided a call, and why. */
export async function why(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [prefix = ''] = line.words
  const history = await openHistory(line, terminal)
  try {
    const named = line.value('--session')
    if (named !== undefined) requireSession(named, history)
    const found = history.why(prefix).filter(({ session }) => named === undefined || session === named)
    if (found.length > 1)
      throw ambiguousCall(
        prefix,
        found.map(({ execution }) => execution),
      )
    if (found.length === 0)
      throw new NotFoundError(
        `no call begins with ${JSON.stringify(prefix)}`,
        'see tongs log for the calls there are',
      )
    const [explained] = found
    if (line.has('--json')) terminal.json(explained)
    else if (explained !== undefined) {
      const { name, execution, verdict, state, gate, gates, error, delegatedBy } = explained
      terminal.print(
        safeWords(
          `${name} (${execution}) was ${verdict} and is ${state}${error === null ? '' : `: ${error}`}`,
        ),
      )
      if (delegatedBy !== undefined)
        terminal.print(safe(`made by the delegated conversation of ${delegatedBy}`))
      for (const row of gates) {
        const mark =
          row.verdict === 'pass'
            ? terminal.paint('green', 'pass')
            : terminal.paint(row.verdict === 'ask' ? 'yellow' : 'red', row.verdict.padEnd(4))
        terminal.print(`  ${mark}  ${safe(row.gate.padEnd(16))} ${safeWords(row.fact)}`)
      }
      if (explained.grant !== undefined)
        terminal.print(safeWords(`allowed by grant ${explained.grant.id}: ${explained.grant.sentence}`))
      if (verdict !== 'allowed' && gate !== '') terminal.print(safe(`decided by: ${gate}`))
    }
    return 0
  } finally {
    await history.close()
  }
}
