import { makeField } from './mutation-field.ts'
import type { Field } from './mutation-field.ts'
import { describeRow, findListFaults, readMutations, readTestId, sourceReader } from './mutation-list.ts'
import type { Mutation } from './mutation-list.ts'
import { judgeRun } from './mutation-verdict.ts'
import type { PlantedRun, Verdict } from './mutation-verdict.ts'
import { readRequirements } from './requirement-files.ts'
import { TOP } from './run-tool.ts'
import { findCarriers } from './title-carriers.ts'

/** How many rows the tests noticed. */
export interface MutantCount {
  readonly killed: number
  readonly survived: number
}

const ROW_TIMEOUT_MS = 180_000
const CONTROL_TIMEOUT_MS = 1_200_000

if (import.meta.main) {
  const { survived } = await runMutants(process.argv.slice(2))
  process.exitCode = survived === 0 ? 0 : 1
}

/** Plants each row, or each row of the chosen ids; whatever was not killed, for whatever reason, has survived. */
export async function runMutants(chosen: readonly string[]): Promise<MutantCount> {
  const known = new Set(readRequirements(TOP).map(({ id }) => id))
  const carriers = findCarriers(TOP, known)
  const rows = readMutations(TOP)
  const faults = [
    ...findListFaults(rows, { known, carriers, readSource: sourceReader(TOP) }),
    ...chosen.filter((id) => !rows.some((row) => row.id === id)).map((id) => `${id} has no row`),
  ]
  const control = rows.find(({ isControl }) => isControl === true)
  if (faults.length > 0 || control === undefined) {
    for (const fault of faults) console.error(`mutants: ${fault}`)
    return close({ killed: 0, survived: faults.length })
  }
  const planted = rows.filter((row) => row !== control && (chosen.length === 0 || chosen.includes(row.id)))
  const field = makeField(TOP)
  try {
    return close(await plantAll(field, control, planted, carriers, known))
  } finally {
    field.remove()
  }
}

async function plantAll(
  field: Field,
  control: Mutation,
  rows: readonly Mutation[],
  carriers: ReadonlyMap<string, readonly string[]>,
  known: ReadonlySet<string>,
): Promise<MutantCount> {
  const runFor = async (row: Mutation, ids: readonly string[], timeoutMs: number): Promise<PlantedRun> => {
    const files = new Set(ids.flatMap((id) => readTestId(id)?.file ?? carriers.get(id) ?? []))
    return field.runWith(row, ids, [...files], timeoutMs)
  }
  // Tests that fail anyway would kill every bug: with the control planted, those of all rows have to pass.
  const ids = [...new Set([control, ...rows].map(({ id }) => id))]
  const untouched = await runFor(control, ids, CONTROL_TIMEOUT_MS)
  const unfit = new Set<string>()
  for (const id of ids) {
    if (judgeRun(untouched, id, known).kind === 'survived') continue
    // Among many others a test may run out of time; by itself it has all there is.
    const verdict = judgeRun(await runFor(control, [id], ROW_TIMEOUT_MS), id, known)
    if (verdict.kind === 'survived') continue
    unfit.add(id)
    console.error(`mutants: a change without meaning did not survive ${id}: ${describeVerdict(verdict)}`)
  }
  console.log(`the control survived the tests of ${ids.length - unfit.size} ids of ${ids.length}`)
  if (unfit.has(control.id)) return { killed: 0, survived: rows.length }
  let killed = 0
  for (const row of rows) {
    const verdict: Verdict = unfit.has(row.id)
      ? { kind: 'broken', fault: 'its tests do not even let the control pass' }
      : judgeRun(await runFor(row, [row.id], ROW_TIMEOUT_MS), row.id, known)
    if (verdict.kind === 'killed') killed += 1
    console.log(`${describeRow(row)}: ${describeVerdict(verdict)}`)
  }
  return { killed, survived: rows.length - killed }
}

function describeVerdict(verdict: Verdict): string {
  if (verdict.kind === 'killed') return `killed by ${JSON.stringify(verdict.by)}`
  return verdict.kind === 'survived' ? 'SURVIVED' : `BROKEN: ${verdict.fault}`
}

function close(count: MutantCount): MutantCount {
  console.log(`${count.killed} killed, ${count.survived} survived`)
  return count
}
