import type { AskedEntry, GateRecord, GrantRecord, StoredEntry } from '../entries/entry.ts'

/** Which gate decided about a call, and on what facts. */
export interface CallExplanation {
  readonly execution: string
  readonly name: string
  readonly session: string
  /** Whether it ran, was refused, or still waits. */
  readonly verdict: 'allowed' | 'denied' | 'failed' | 'waiting'
  /** The gate that decided; for an allowed call, the last gate it passed. */
  readonly gate: string
  readonly gates: readonly GateRecord[]
  readonly state: string
  readonly error: string | null
  /** The grant that the call ran under, if it needed one. */
  readonly grant?: GrantRecord
  /** The call whose delegated conversation made this one; absent if the conversation of the session did. */
  readonly delegatedBy?: string
}

/** Explains a call from the entries about it; null if there are none, or if they are about an undo or redo. */
export function explainCall(execution: string, entries: readonly StoredEntry[]): CallExplanation | null {
  const [first] = entries
  if (first === undefined) return null
  const session = first.session.name
  const delegatedBy = delegateOf(execution, entries)
  for (const { entry } of entries.toReversed()) {
    if (entry.kind !== 'settled' || entry.execution !== execution) continue
    const { gates } = entry
    const last = gates.at(-1)
    const verdict = last?.verdict === 'deny' ? 'denied' : last?.verdict === 'fail' ? 'failed' : 'allowed'
    const state = entry.moves.at(-1)?.state ?? 'DECLARED'
    return {
      execution,
      name: entry.name,
      session,
      verdict,
      gate: last?.gate ?? '',
      gates: gates.map(inWords),
      state,
      error: entry.error?.code ?? null,
      ...(entry.grant === undefined ? {} : { grant: entry.grant }),
      ...delegatedBy,
    }
  }
  const calls = entries.flatMap(({ entry }) => (entry.kind === 'batch' ? entry.calls : []))
  const name = calls.find((call) => call.execution === execution)?.name
  // An undo or redo has an id, too, and no gate has judged it.
  if (name === undefined) return null
  const [asked] = entries.flatMap(({ entry }) => (entry.kind === 'asked' ? [entry] : []))
  return {
    execution,
    name,
    session,
    verdict: 'waiting',
    gate: asked === undefined ? '' : 'approval',
    gates: asked === undefined ? [] : gatesWhileAsked(execution, asked),
    state: asked === undefined ? 'DECLARED' : 'VALIDATED',
    error: null,
    ...delegatedBy,
  }
}

function delegateOf(
  execution: string,
  entries: readonly StoredEntry[],
): Pick<CallExplanation, 'delegatedBy'> {
  for (const { entry } of entries)
    if (
      entry.kind === 'batch' &&
      entry.delegate !== undefined &&
      entry.calls.some((call) => call.execution === execution)
    )
      return { delegatedBy: entry.delegate }
  return {}
}

function gatesWhileAsked(execution: string, { questions, judged = [] }: AskedEntry): readonly GateRecord[] {
  const isAskedAbout = questions.some((question) => question.execution === execution)
  const fact = isAskedAbout
    ? 'approval was requested, and the batch waits for the answers'
    : 'the batch waits for answers about other calls'
  const gates = judged.find((one) => one.execution === execution)?.gates ?? []
  return [...gates.map(inWords), { gate: 'approval', fact, verdict: 'ask' }]
}

/** Leaves out the answers of gate programs: the fact repeats them in words. */
function inWords({ answers: _answers, ...record }: GateRecord): GateRecord {
  return record
}
