import { withoutFullStop } from '../../core/text/trim-end.ts'
import { LONGEST_TIMER_MS } from '../../core/clock.ts'
import type { DelegatedEnd, DelegatedRequest, Delegating } from '../../core/conversation/delegation.ts'
import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { describeDone, readDelegatedRecord } from '../../pipeline/after/delegated-record.ts'
import type { Roles } from '../../runtime/roles/role.ts'
import { textOf } from '../context/message-parts.ts'
import type { ConversationEvent } from '../events.ts'
import { BudgetError, checkLimits, TIME_IS_UP } from '../loop/budget.ts'
import type { Emit } from '../loop/event-stream.ts'
import { openSteering } from '../loop/steering.ts'
import { newTurn, runLoop } from '../loop/turn.ts'
import type { LoopEnd } from '../loop/turn.ts'
import type { Turn, TurnLimits } from '../loop/turn-state.ts'
import { beginWork } from './begin-work.ts'
import { canOnlyRead, planWork } from './plan-work.ts'
import type { PlannedWork } from './plan-work.ts'

/** What delegated conversations need besides the turn around them. */
export interface DelegatingDeps {
  /** The roles that are defined now. */
  readonly roles: () => Roles
  /** Opens the model that a role names. */
  readonly openModel: (spec: string) => Promise<ModelClient>
}

/** Holds the conversations that the calls of a turn delegate, each in that turn. */
export function openDelegating(deps: DelegatingDeps): (turn: Turn) => Delegating {
  return (turn) => ({
    onlyReads: (args) => {
      const work = planWork(args, turn.setup, deps.roles)
      return work.ok && canOnlyRead(work.tools, turn.setup)
    },
    hold: (request) => hold(request, turn, deps),
  })
}

/** Holds the conversation of a call to its end, or until it waits for a person. */
async function hold(request: DelegatedRequest, parent: Turn, deps: DelegatingDeps): Promise<DelegatedEnd> {
  const work = planWork(request.args, parent.setup, deps.roles)
  if (!work.ok) return { is: 'failed', error: work.error }
  const model = await openModelOf(work, parent, deps)
  if ('code' in model) return { is: 'failed', error: model }
  const { setup, rounds, requests, usage, parked } = beginWork({ request, work, model }, parent)
  const stop = new AbortController()
  const limits = limitsOf(work, request, parent)
  const timer = startTimer(limits, stop)
  let failure: string | null = null
  const turn = newTurn({
    ...parent,
    setup,
    id: parent.id,
    rounds,
    parent,
    limits,
    emit: nest(request, parent.emit, (message) => void (failure = message)),
    signal: AbortSignal.any([stop.signal, request.signal]),
    steering: openSteering(),
    replaceSetup: () => undefined,
    state: () => 'idle',
    move: () => undefined,
  })
  turn.usage = usage
  turn.requests = requests
  try {
    return endOf(await runLoop(turn, parked), failure, turn, request)
  } finally {
    clearTimeout(timer)
  }
}

/** The model of the role, or that of the conversation around it. */
async function openModelOf(
  { role }: Extract<PlannedWork, { ok: true }>,
  { setup, ...turn }: Turn,
  deps: DelegatingDeps,
): Promise<ModelClient | ToolError> {
  if (role === null || role.model === null) return setup.model
  try {
    const model = await deps.openModel(role.model)
    for (let one: Turn | null = { ...turn, setup }; one !== null; one = one.parent)
      checkLimits(one.limits, model.id, setup.settings['model.prices'])
    return model
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const hint = error instanceof BudgetError ? `; ${error.hint}` : ''
    return toolError(
      'execution_failed',
      `The role ${role.name} names the model ${role.model}: ${why}${hint}.`,
    )
  }
}

/** What bounds it: its own budget and the time of its call. The budgets around it are looked at with every request. */
function limitsOf(
  { task }: Extract<PlannedWork, { ok: true }>,
  { timeoutMs }: DelegatedRequest,
  { setup: { settings } }: Turn,
): TurnLimits {
  const maxTokens = Math.min(task.max_tokens ?? Infinity, settings['tools.delegate.max_tokens'] || Infinity)
  return {
    maxRequests: Math.min(task.max_requests ?? Infinity, settings['tools.delegate.max_requests']),
    maxSeconds: Math.min(task.max_seconds ?? Infinity, timeoutMs / 1000),
    ...(maxTokens === Infinity ? {} : { maxTokens }),
  }
}

function startTimer({ maxSeconds = Infinity }: TurnLimits, stop: AbortController): NodeJS.Timeout {
  return setTimeout(() => stop.abort(TIME_IS_UP), Math.min(maxSeconds * 1000, LONGEST_TIMER_MS))
}

/** Passes on what its calls do, marked as its own. What its model says is for itself until the end. */
function nest({ id, execution }: DelegatedRequest, emit: Emit, onError: (message: string) => void): Emit {
  const delegate = { id, execution }
  return (event: ConversationEvent) => {
    switch (event.event) {
      case 'call':
      case 'output':
      case 'result':
      case 'progress':
      case 'landing':
        // Those of a conversation further down carry its own mark.
        emit(event.delegate === undefined ? { ...event, delegate } : event)
        return
      case 'error':
        onError(event.message)
        return
      default:
    }
  }
}

function endOf(
  { stop, cut }: LoopEnd,
  failure: string | null,
  { setup, usage, requests }: Turn,
  { execution }: DelegatedRequest,
): DelegatedEnd {
  if (stop === 'approval_pending' || stop === 'held') return { is: 'waiting' }
  const done = readDelegatedRecord(execution, setup.source.log)
  if (stop === 'failed' || stop === 'cancelled') {
    const code = stop === 'failed' ? 'execution_failed' : 'cancelled'
    const why =
      stop === 'failed' ? `The delegated conversation failed: ${failure ?? ''}` : 'Cancelled by user'
    const message = `${withoutFullStop(why)}${describeDone(done)}.`
    const details = { effects: 'kept', calls: done.calls, changes: done.changes.map((one) => ({ ...one })) }
    return { is: 'failed', error: toolError(code, message, details) }
  }
  const said = setup.log.read().spoken.findLast(({ role }) => role === 'assistant')
  return {
    is: 'ended',
    work: {
      text: said?.role === 'assistant' ? textOf(said.parts).trim() : '',
      stop: cut === undefined ? stop : 'cut',
      calls: done.calls,
      requests,
      tokens: usage.input_tokens + usage.output_tokens,
      changes: done.changes,
    },
  }
}
