import type { Actor } from '../../core/call.ts'
import type { State } from '../../core/lifecycle.ts'
import type { Attempt, DeclaredCall, SettledEntry, StoredEntry } from '../entries/entry.ts'

/** Why a call ended as it did. Its words are a payload and can be erased; these stay. */
export interface AuditError {
  readonly code: string
  readonly class: string
  /** The gate that ended the call, and what it looked at; absent where no gate did. */
  readonly gate?: string
  readonly reason?: string
}

/** A person's agreement: an answer to this very call, or a grant given beforehand. */
export type AuditConsent =
  | { readonly by: 'answer' }
  | { readonly by: 'grant'; readonly grant: string; readonly sentence: string }

/** One transition of one call, as auditors get it. */
export interface AuditEvent {
  /** Unique over all sessions: the call and the number of its move. */
  readonly eventId: string
  /** Epoch milliseconds. */
  readonly timestamp: number
  readonly toolId: string
  /** Empty where no such tool exists. */
  readonly toolVersion: string
  readonly executionId: string
  readonly state: State
  readonly userId?: string
  readonly actor?: Actor
  /** What the call was handed, from its authorisation on. */
  readonly capabilities: readonly string[]
  /** How a person agreed, from the authorisation on; absent where nobody had to. */
  readonly consent?: AuditConsent
  /** Milliseconds from start to end, on the last event. */
  readonly duration?: number
  /** On every event that says the call did not do what it was asked. */
  readonly error?: AuditError
  /** On the last event: the attempts that failed before the one that counts. */
  readonly attempts?: readonly Attempt[]
  readonly inputHash: string
  readonly outputHash?: string
  /** What confined its process and which limits held, from its authorisation on; absent where it starts none. */
  readonly sandbox?: string
  readonly session: string
}

interface Declared {
  readonly call: DeclaredCall
  readonly actor: Actor | null
  readonly session: string
}

/** States in which a call has gone wrong. */
const ADVERSE: ReadonlySet<State> = new Set(['FAILED', 'DENIED', 'ABORTED', 'ROLLED_BACK'])

/** Reads the audit trail off a session's log: one event per transition, in the order they were written. */
export function* auditEvents(entries: Iterable<StoredEntry>): Generator<AuditEvent> {
  const open = new Map<string, Declared>()
  for (const { entry, at, session } of entries) {
    if (entry.kind === 'batch') {
      for (const call of entry.calls) {
        const declared = { call, actor: entry.actor, session: session.name }
        open.set(call.execution, declared)
        yield {
          ...about(declared, 'DECLARED', 1, at),
          toolVersion: call.version ?? '',
          capabilities: [],
        }
      }
    } else if (entry.kind === 'settled') {
      const declared = open.get(entry.execution)
      if (declared === undefined) continue
      open.delete(entry.execution)
      yield* movesOf(entry, declared)
    }
  }
}

/** The first move is the declaration, which has its event already. */
function* movesOf(entry: SettledEntry, declared: Declared): Generator<AuditEvent> {
  const { moves, error } = entry
  const sandbox = entry.effect === 'spawn' ? confinementOf(entry) : {}
  const consent = consentOf(entry)
  let isAuthorized = false
  for (const [index, { state, at }] of moves.entries()) {
    if (index === 0) continue
    isAuthorized ||= state === 'AUTHORIZED'
    const isLast = index === moves.length - 1
    yield {
      ...about(declared, state, index + 1, at),
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

function about({ call, actor, session }: Declared, state: State, number: number, timestamp: number) {
  return {
    eventId: `${call.execution}-${number}`,
    timestamp,
    toolId: call.name,
    executionId: call.execution,
    state,
    inputHash: call.args,
    session,
    ...(actor === null ? {} : { userId: actor.id, actor }),
  }
}
