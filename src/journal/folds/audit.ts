import type { Actor } from '../../core/call.ts'
import type { State } from '../../core/lifecycle.ts'
import { readBackgroundNote } from '../entries/background-note.ts'
import type { BackgroundNote } from '../entries/background-note.ts'
import { rollBackOf } from './roll-back-of.ts'
import type { Attempt, Authorization, DeclaredCall, SettledEntry, StoredEntry } from '../entries/entry.ts'

/** Why a call failed. The error message is a payload and can be erased; this stays. */
export interface AuditError {
  readonly code: string
  readonly class: string
  /** The gate that refused the call, and the fact it refused on; absent if no gate did. */
  readonly gate?: string
  readonly reason?: string
}

/** A person's approval: an answer about this call, or an earlier grant. */
export type AuditConsent =
  | { readonly by: 'answer' }
  | { readonly by: 'grant'; readonly grant: string; readonly sentence: string }

/** One transition of one call, in the form auditors get. */
export interface AuditEvent {
  /** Unique across all sessions: the call and the number of its move. */
  readonly eventId: string
  /** Epoch milliseconds. */
  readonly timestamp: number
  readonly toolId: string
  /** Empty if there is no such tool. */
  readonly toolVersion: string
  readonly executionId: string
  readonly state: State
  readonly userId?: string
  readonly actor?: Actor
  /** The call's capabilities, from its authorization on. */
  readonly capabilities: readonly string[]
  /** How a person approved, from the authorization on; absent if no approval was needed. */
  readonly consent?: AuditConsent
  /** Milliseconds from start to end, on the last event. */
  readonly duration?: number
  /** On every event in which the call failed, was denied or was rolled back. */
  readonly error?: AuditError
  /** On the last event: the failed attempts before the last one. */
  readonly attempts?: readonly Attempt[]
  readonly inputHash: string
  readonly outputHash?: string
  /** The sandbox and limits of its process, from the authorization on; absent if it starts no process. */
  readonly sandbox?: string
  /** On an event of its own, after the last one of its call: how the command ended that the call left in the background. */
  readonly background?: {
    readonly how: string
    readonly exit_code: number | null
    readonly signal: string | null
  }
  readonly session: string
  /** The call whose delegated conversation made this one; absent if the conversation of the session did. */
  readonly delegatedBy?: string
}

/** A call that has not ended. */
interface OpenCall {
  readonly call: DeclaredCall
  readonly actor: Actor | null
  readonly session: string
  readonly delegate: string | null
  /** The states that have their event. */
  readonly reached: State[]
}

/** States in which a call did not succeed. */
const ADVERSE: ReadonlySet<State> = new Set(['FAILED', 'DENIED', 'ABORTED', 'ROLLED_BACK'])

/** Finds the entries about one call. */
export type FindAbout = (execution: string) => Iterable<StoredEntry>

/**
 * Derives the audit trail from a session's log: one event per transition, in order. What is on record before a call
 * ends, such as its question or its start, has its event from then on. A commit that could not be put in place and was
 * rolled back ends as rolled back; `about` finds that out.
 */
export function* auditEvents(
  entries: Iterable<StoredEntry>,
  about: FindAbout = () => [],
): Generator<AuditEvent> {
  const open = new Map<string, OpenCall>()
  const background = new Map<string, OpenCall>()
  for (const { entry, at, session } of entries) {
    if (entry.kind === 'batch') {
      for (const call of entry.calls) {
        const { actor, delegate = null } = entry
        const declared: OpenCall = { call, actor, session: session.name, delegate, reached: [] }
        open.set(call.execution, declared)
        yield* reach(declared, ['DECLARED'], at)
      }
    } else if (entry.kind === 'asked' || entry.kind === 'held') {
      const waiting =
        entry.kind === 'held' ? entry.executions : (entry.judged ?? []).map(({ execution }) => execution)
      for (const execution of waiting) yield* reach(open.get(execution), ['VALIDATED'], at)
    } else if (entry.kind === 'started') {
      yield* reach(open.get(entry.execution), ['VALIDATED', 'AUTHORIZED', 'EXECUTING'], at, entry.authorized)
    } else if (entry.kind === 'note') {
      yield* moveInBackground(readBackgroundNote(entry), at, open, background)
    } else if (entry.kind === 'settled') {
      const declared = open.get(entry.execution)
      if (declared === undefined) continue
      open.delete(entry.execution)
      yield* movesOf(asItEnded(entry, about), declared)
    }
  }
}

/** The event about the end of a command in the background; its call has long ended by then. */
function* moveInBackground(
  note: BackgroundNote | null,
  at: number,
  open: ReadonlyMap<string, OpenCall>,
  background: Map<string, OpenCall>,
): Generator<AuditEvent> {
  if (note?.is === 'started') {
    const declared = open.get(note.execution)
    if (declared !== undefined) background.set(note.execution, declared)
  } else if (note?.is === 'ended') {
    const started = background.get(note.execution)
    background.delete(note.execution)
    if (started === undefined) return
    const { how, exitCode, signal } = note.end
    yield {
      ...eventAbout(started, 'COMPLETED', at),
      toolVersion: started.call.version ?? '',
      capabilities: [],
      ...(note.durationMs === null ? {} : { duration: note.durationMs }),
      background: { how, exit_code: exitCode, signal },
    }
  }
}

/** The events of states that a call has reached before its end; each state is reached once. */
function* reach(
  open: OpenCall | undefined,
  states: readonly State[],
  at: number,
  authorized?: Authorization,
): Generator<AuditEvent> {
  // What an older version did not record at the start is told at the end.
  if (open === undefined || (states.includes('EXECUTING') && authorized === undefined)) return
  for (const state of states) {
    if (open.reached.includes(state)) continue
    yield {
      ...eventAbout(open, state, at),
      toolVersion: open.call.version ?? '',
      capabilities: [],
      ...(authorized === undefined || state === 'VALIDATED' ? {} : grantedBy(authorized)),
    }
  }
}

function grantedBy({
  capabilities,
  consent,
  sandbox,
}: Authorization): Pick<AuditEvent, 'capabilities' | 'consent' | 'sandbox'> {
  return {
    capabilities,
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(consent === undefined
      ? {}
      : { consent: consent === 'answer' ? { by: 'answer' } : { by: 'grant', ...consent } }),
  }
}

/** The moves that have no event yet. */
function* movesOf(entry: SettledEntry, open: OpenCall): Generator<AuditEvent> {
  const { moves, error } = entry
  const sandbox = entry.effect === 'spawn' ? confinementOf(entry) : {}
  const consent = consentOf(entry)
  let isAuthorized = false
  for (const [index, { state, at }] of moves.entries()) {
    isAuthorized ||= state === 'AUTHORIZED'
    if (open.reached.includes(state)) continue
    const isLast = index === moves.length - 1
    yield {
      ...eventAbout(open, state, at),
      toolVersion: entry.version ?? '',
      capabilities: isAuthorized ? entry.capabilities : [],
      ...(isAuthorized ? sandbox : {}),
      ...(isAuthorized && consent !== null ? { consent } : {}),
      ...(isLast ? { duration: entry.durationMs } : {}),
      ...(isLast && entry.attempts !== undefined ? { attempts: entry.attempts } : {}),
      ...(error !== null && ADVERSE.has(state) ? { error: { ...error, ...deciderOf(entry) } } : {}),
      ...(isLast && entry.output !== null ? { outputHash: entry.output } : {}),
    }
  }
}

/** A settled entry with the ending that the call has after all. */
function asItEnded(entry: SettledEntry, about: FindAbout): SettledEntry {
  if (entry.changes.length === 0 || entry.error !== null) return entry
  const back = rollBackOf(entry.execution, about(entry.execution))
  if (back?.because !== 'obstacle') return entry
  const moves = entry.moves.map((move) =>
    move.state === 'COMPLETED' ? { state: 'ROLLED_BACK' as const, at: back.at } : move,
  )
  const gates = [...entry.gates, { gate: 'landing', fact: back.why, verdict: 'fail' as const }]
  return { ...entry, moves, gates, error: { code: 'execution_failed', class: 'ExecutionError' } }
}

function consentOf({ grant, gates }: SettledEntry): AuditConsent | null {
  if (gates.some(({ gate, verdict }) => gate === 'approval' && verdict === 'pass')) return { by: 'answer' }
  return grant === undefined ? null : { by: 'grant', grant: grant.id, sentence: grant.sentence }
}

function deciderOf({ gates }: SettledEntry): Pick<AuditError, 'gate' | 'reason'> {
  const last = gates.findLast(({ verdict }) => verdict === 'deny' || verdict === 'fail')
  return last === undefined ? {} : { gate: last.gate, reason: last.fact }
}

function confinementOf({ gates }: SettledEntry): Pick<AuditEvent, 'sandbox'> {
  const found = gates.find(({ gate }) => gate === 'confinement')
  return found === undefined ? {} : { sandbox: found.fact }
}

function eventAbout({ call, actor, session, delegate, reached }: OpenCall, state: State, timestamp: number) {
  reached.push(state)
  return {
    eventId: `${call.execution}-${reached.length}`,
    timestamp,
    toolId: call.name,
    executionId: call.execution,
    state,
    inputHash: call.args,
    session,
    ...(delegate === null ? {} : { delegatedBy: delegate }),
    ...(actor === null ? {} : { userId: actor.id, actor }),
  }
}
