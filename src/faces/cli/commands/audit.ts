import type { ParsedLine } from '../arguments.ts'
import type { VerifyReport } from '../../../journal/chain/verify-report.ts'
import { placeWitness } from '../../../runtime/configure/places.ts'
import { configure, openRuntime } from '../open.ts'
import { safeWords } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { chosenSession, noSession } from '../chosen-session.ts'
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
  const since = readHash(line.value('--since'))
  const { root, stateDir, settings } = await configure(line, terminal)
  const session = line.value('--session')
  const report = verifyStore(stateDir, {
    since,
    witness: placeWitness(settings['journal.witness'], { roots: [root], stateDir }),
    ...(session === undefined ? {} : { session: { root, name: session } }),
  })
  if (session !== undefined && report.ok && report.sessions === 0) throw noSession(session)
  if (line.has('--json')) terminal.json(report)
  else if (report.ok) for (const sentence of describeWhole(report)) terminal.print(sentence)
  else {
    const { session: name, seq, why } = report.first_bad ?? { session: '?', seq: 0, why: 'unknown' }
    const place = seq === 0 ? '' : `session ${name}, entry ${seq}: `
    terminal.warn(`tongs: the log does not verify: ${safeWords(place + why)}`)
  }
  return report.ok ? 0 : 1
}

function readHash(given: string | undefined): string | undefined {
  if (given === undefined || /^[0-9a-f]{64}$/i.test(given)) return given?.toLowerCase()
  throw new UsageError(
    `--since ${JSON.stringify(given)} is not the hash of a head`,
    'give the 64 digits that audit verify printed',
  )
}

function describeWhole(report: VerifyReport): readonly string[] {
  const { events, sessions, erased, sealed, breaches, head, since, witness } = report
  const lines = [
    `The log is whole: ${events} entries in ${sessions} ${sessions === 1 ? 'session' : 'sessions'}, ${erased} erased contents${sealed === 0 ? '' : `, ${sealed} sealed as damaged`}.`,
  ]
  if (breaches > 0)
    lines.push(
      `Before a repair it was not: ${breaches === 1 ? 'once' : `${breaches} times`} a session had been cut off, rewritten or added to. The notes about sealed in tongs log --json say what was found.`,
    )
  if (head !== null && events > 0) lines.push(`head: ${head.hash}`)
  if (since !== null) lines.push(`The known head is in it; ${since.entries_after} entries follow.`)
  if (witness !== null) {
    const others =
      witness.other_journals === 0 ? '' : ` It also knows ${witness.other_journals} other journals.`
    const torn =
      witness.torn_lines === 0
        ? ''
        : ` Lines of it that were not written to their end: ${witness.torn_lines}.`
    lines.push(`The witness agrees on ${witness.heads} heads.${others}${torn}`)
  }
  return lines
}

async function exportEvents(line: ParsedLine, terminal: Terminal): Promise<number> {
  const runtime = await openRuntime(line, terminal)
  try {
    for (const event of runtime.audit(chosenSession(line, runtime, terminal))) {
      if (line.has('--json')) terminal.json(event)
      else
        terminal.print(
          `${new Date(event.timestamp).toISOString()}  ${event.state.padEnd(11)} ${safeWords(event.toolId)}  ${event.executionId}`,
        )
    }
    return 0
  } finally {
    await runtime.close()
  }
}
