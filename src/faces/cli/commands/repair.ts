import { systemClock } from '../../../host/system/clock.ts'
import type { RepairReport } from '../../../journal/repair/repair-store.ts'
import { placeWitness } from '../../../runtime/configure/places.ts'
import type { ParsedLine } from '../arguments.ts'
import { configure } from '../open.ts'
import { safe } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

/** `tongs repair`: rebuilds what the log implies, and seals what is damaged in it. */
export async function repair(line: ParsedLine, terminal: Terminal): Promise<number> {
  const { repairStore } = await import('../../../journal/repair/repair-store.ts')
  const { root, stateDir, settings } = await configure(line, terminal)
  const witness = placeWitness(settings['journal.witness'], { roots: [root], stateDir })
  const report = await repairStore(stateDir, systemClock, witness)
  if (line.has('--json')) terminal.json(report)
  else for (const sentence of describe(report, stateDir)) terminal.print(safe(sentence))
  return report.ok ? 0 : 1
}

function describe(report: RepairReport, stateDir: string): readonly string[] {
  const { ok, copy, mended, sealed, drops_grants, witness = [], first_bad } = report
  if (copy === null && first_bad === null) return ['There is no journal yet.']
  if (copy === null)
    return [
      `There is nothing to repair: ${first_bad?.why ?? 'unknown'}.`,
      'What it recorded cannot be made again: without it no edit can be undone, no question answered, and no grant holds.',
      `Restore it from a backup, or move the folder ${stateDir} away to start a new journal.`,
    ]
  const parts = sealed.map(
    ({ session, root, entries, contents, breach }) =>
      `Sealed in session ${session} of ${root}: ${entries} entries, ${contents} contents${breach === null ? '' : `, and a log that was ${breach}`}.`,
  )
  return [
    ...witness.map((clause) => `Before the repair: ${clause}.`),
    ...mended.map((clause) => `Mended the schema: ${clause}.`),
    ...parts,
    ...(drops_grants ? ['All grants were dropped, because nothing vouches for them any more.'] : []),
    ok
      ? 'The tables were rebuilt, and the log verifies.'
      : `The tables were rebuilt, but the log does not verify: ${first_bad?.why ?? 'unknown'}.`,
    `The journal as it was is in ${copy}.`,
  ]
}
