import { showPath } from '../../core/text/display/show-path.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'
import type { Entry, SettledEntry } from '../../journal/entries/entry.ts'
import { formatResult } from '../../journal/entries/stored-result.ts'
import type { SessionLog, Unlanded } from '../../journal/log.ts'
import { withPrerequisites } from '../../policy/capabilities/capability-tree.ts'
import { describeFailure } from '../error-report.ts'
import { adoptMessage, findReceived } from '../parse/received-message.ts'
import { presentFailure } from '../present.ts'
import { asReported, doubtfulFiles, findInterrupted } from './inspect.ts'
import type { FoundBatch, InterruptedBatch, RecoveredCall, RecoveryDeps } from './inspect.ts'
import { presentReconciled } from '../record/present-reconciled.ts'
import { inChains } from '../commit/chains.ts'
import { isMadeElsewhere } from '../made-elsewhere.ts'
import { rollBack } from '../commit/roll-back.ts'
import type { RolledBack } from '../commit/roll-back.ts'

/** What to do with an interrupted batch. */
export type RecoveryChoice = 'resume' | 'discard'

/** Closes the interrupted batches: every call without a result gets one that says what is known; none is run again. */
export async function recover(
  log: SessionLog,
  choice: RecoveryChoice,
  deps: RecoveryDeps,
): Promise<readonly InterruptedBatch[]> {
  const outputs = new Map<string, JsonObject>()
  const interrupted = await findInterrupted(log, {
    ...deps,
    onReconciled: (execution, output) => outputs.set(execution, output),
  })
  // Before the batches are closed: should this process die in between, what was discarded must not land after all.
  const batches = choice === 'discard' ? discardUnlanded(interrupted, log, deps) : interrupted
  for (const { kind, batch, turn, calls, settled } of batches) {
    const closings = calls
      .filter(({ execution }) => !settled.has(execution))
      .map((call) => close({ ...call, output: outputs.get(call.execution) }, { batch, turn }, choice, deps))
    const received = kind === 'received' ? findReceived(log) : null
    const adopted = received === null ? null : adoptMessage(received, log, deps)
    const entries: Entry[] = [
      ...(adopted === null ? [] : [adopted.entry]),
      ...closings.map(({ entry }) => entry),
    ]
    entries.push({
      kind: 'recovered',
      batch,
      choice,
      calls: calls.map(({ execution, status, evidence }) => ({ execution, status, evidence })),
    })
    log.append({
      entries,
      payloads: new Map<string, string | Uint8Array>([
        ...(adopted?.payloads ?? []),
        ...closings.map(({ entry, payload }) => [entry.result, payload] as const),
      ]),
      reliance: 'durable',
    })
    for (const { entry, result } of closings)
      if (!result.ok)
        deps.onError(
          describeFailure(result, { version: entry.version, phase: 'recovery', session: log.key.name }, null),
        )
    // A commit that could not be put in place yet is still to be finished; one with drifted files is given up.
    for (const { execution, status } of calls)
      if (status === 'in_doubt' && doubtfulFiles(execution, log).length > 0) log.landed(execution, 'given up')
  }
  return batches.map(asReported)
}

/** Takes back what the calls have in place, of those whose commits are not fully in place. */
function discardUnlanded(
  batches: readonly FoundBatch[],
  log: SessionLog,
  deps: RecoveryDeps,
): readonly FoundBatch[] {
  const doubtful = new Map(
    batches.flatMap(({ calls }) =>
      calls.flatMap(({ status, execution, evidence }) =>
        status === 'in_doubt' ? [[execution, evidence] as const] : [],
      ),
    ),
  )
  const rolledBack = new Map<string, RolledBack>()
  const isToTakeBack = (one: Unlanded): boolean =>
    doubtful.has(one.execution) && !isMadeElsewhere(one, log, deps.workspace)
  for (const chain of inChains(log.unlanded().filter(isToTakeBack))) {
    const [first] = chain
    const why = doubtful.get(first?.execution ?? '') ?? ''
    const done = rollBack(chain, { because: 'discarded', why }, { ...deps, log })
    if (done !== null) for (const { execution } of chain) rolledBack.set(execution, done)
  }
  const discard = (call: RecoveredCall): RecoveredCall => {
    const done = rolledBack.get(call.execution)
    if (done === undefined) return call
    const { landing, left } = done
    if (landing.is !== 'landed') {
      const files =
        landing.is === 'failed' ? landing.why : `${landing.files.map(showPath).join(', ')} changed meanwhile.`
      return { ...call, evidence: `its changes are being taken back, but not all of them are yet: ${files}` }
    }
    const except =
      left.length === 0 ? '' : `, except ${left.map(showPath).join(', ')}, which changed outside this call`
    return { ...call, status: 'discarded', evidence: `its files are as before it${except}` }
  }
  return batches.map((batch) => ({ ...batch, calls: batch.calls.map(discard) }))
}

const utf8 = new TextEncoder()

function close(
  call: RecoveredCall & { readonly output: JsonObject | undefined },
  { batch, turn }: Pick<InterruptedBatch, 'batch' | 'turn'>,
  choice: RecoveryChoice,
  deps: RecoveryDeps,
) {
  const { execution, id, name, output } = call
  const at = deps.now()
  const tool = deps.registry.find(name)
  const presented =
    tool === null || output === undefined || choice === 'discard'
      ? null
      : presentReconciled(tool, output, deps)
  const error = presented === null ? errorFor(call, choice) : presented.ok ? null : presented.error
  const state = stateOf(call, error)
  const row = { id: execution, state, duration_ms: 0 } as const
  const result: ToolResult =
    presented?.ok === true
      ? { id, name, ok: true, result: presented.output, content: presented.content, execution: row }
      : presentFailure({ id, name }, { error: error ?? errorFor(call, choice), phase: 'before' }, row)
  const payload = utf8.encode(formatResult(result))
  const moves =
    state === 'FAILED'
      ? (['DECLARED', 'FAILED'] as const)
      : (['DECLARED', 'VALIDATED', 'AUTHORIZED', 'EXECUTING', state] as const)
  const entry: SettledEntry = {
    kind: 'settled',
    batch,
    turn,
    execution,
    name,
    version: tool?.version ?? null,
    effect: tool?.effect ?? null,
    moves: moves.map((now) => ({ state: now, at })),
    error: result.ok ? null : { code: result.error.code, class: result.error.class },
    result: deps.digest(payload),
    output: presented?.ok === true ? deps.digest(presented.canonical) : null,
    capabilities: tool === null || state === 'FAILED' ? [] : withPrerequisites(tool.capabilities),
    changes: [],
    gates: [{ gate: 'recovery', fact: call.evidence, verdict: result.ok ? 'pass' : 'fail' }],
    durationMs: 0,
  }
  return { entry, payload, result }
}

/** What had ended keeps its state, whatever becomes of its result. */
function stateOf(
  { status, output }: RecoveredCall & { readonly output: JsonObject | undefined },
  error: ToolError | null,
): 'COMPLETED' | 'ABORTED' | 'ROLLED_BACK' | 'FAILED' {
  if (error === null || (status === 'finished' && output !== undefined)) return 'COMPLETED'
  if (error.code === 'in_doubt') return 'ABORTED'
  return status === 'discarded' ? 'ROLLED_BACK' : 'FAILED'
}

function errorFor({ status, evidence, name }: RecoveredCall, choice: RecoveryChoice): ToolError {
  if (status === 'in_doubt') {
    return toolError(
      'in_doubt',
      `It is unknown whether ${name} took effect: ${evidence}. It was not run again.`,
      { effects: 'unknown' },
      ['Check what it may have done before you repeat it.'],
    )
  }
  if (status === 'discarded')
    return toolError(
      'discarded',
      `${name} was interrupted, and nothing in the workspace changed: ${evidence}.`,
      { effects: 'discarded', evidence },
      ['Request it again if it is still needed.'],
    )
  if (choice === 'discard')
    return toolError(
      'discarded',
      `The batch was interrupted and its results were discarded; ${name} was not run again.`,
      { evidence },
    )
  return toolError(
    'not_started',
    `The batch was interrupted before ${name} ran: ${evidence}.`,
    { evidence },
    ['Request it again if it is still needed.'],
  )
}
