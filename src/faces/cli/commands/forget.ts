import { readForkedFrom } from '../../../agent/log/measured.ts'
import { shellWord } from '../../../core/command/shell-word.ts'
import { executionsOf } from '../../../journal/entries/mentions.ts'
import type { Runtime } from '../../../runtime/create-runtime.ts'
import type { ParsedLine } from '../arguments.ts'
import { openRuntime } from '../open.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { ambiguousCall, NotFoundError, UsageError } from '../errors.ts'

/** `tongs forget SESSION|CALL|--older-than DAYS`: erases recorded contents; the log still verifies. */
export async function forget(line: ParsedLine, terminal: Terminal): Promise<number> {
  const [word] = line.words
  const days = line.value('--older-than')
  if ((word === undefined) === (days === undefined))
    throw new UsageError('forget needs a session, a call or --older-than DAYS', 'give exactly one of them')
  if (days !== undefined && !/^\d{1,5}$/.test(days))
    throw new UsageError(
      `--older-than ${JSON.stringify(days)} is not a number of days`,
      'try --older-than 30',
    )
  const runtime = await openRuntime(line, terminal)
  try {
    const isSession = word !== undefined && [...runtime.log({ session: word })].length > 0
    const report = await runtime.forget(
      days !== undefined
        ? { olderThanDays: Number(days) }
        : isSession
          ? { session: word }
          : { call: word ?? '' },
    )
    if (!report.ok && report.why === 'several') throw ambiguousCall(word ?? '', report.executions)
    if (!report.ok)
      throw new NotFoundError(
        `nothing to forget: ${JSON.stringify(word ?? days)} is neither a session nor a call`,
        'see tongs log',
      )
    if (line.has('--json')) terminal.json(report)
    else
      terminal.print(
        safe(
          `Erased ${report.payloads} contents, ${report.bytes} bytes, and ${report.files ?? 0} kept files. The log keeps their digests and still verifies.`,
        ),
      )
    for (const fork of word === undefined ? [] : forksWith(word, isSession, runtime))
      terminal.warn(
        safe(
          `tongs: session ${fork} was forked from it and has copies of what was said; tongs forget ${shellWord(fork)} erases them there.`,
        ),
      )
    const { copies = [] } = report
    if (copies.length > 0)
      terminal.warn(
        safe(
          `tongs: nothing was erased from these copies of the journal as it was: ${copies.map(shellWord).join(' ')}. Remove them if you no longer need them.`,
        ),
      )
    return 0
  } finally {
    await runtime.close()
  }
}

/** The sessions that were forked from a session, or from that of a call, and those that were forked from them. */
function forksWith(word: string, isSession: boolean, runtime: Runtime): readonly string[] {
  const holders = new Set(isSession ? [word] : [])
  const forks: string[] = []
  // A fork begins after what it was made of.
  for (const { session, entry } of runtime.log()) {
    if (!isSession && executionsOf(entry).some((execution) => execution.startsWith(word)))
      holders.add(session.name)
    const from = entry.kind === 'note' ? readForkedFrom(entry) : null
    if (from === null || !holders.has(from)) continue
    holders.add(session.name)
    forks.push(session.name)
  }
  return forks
}
