import type { Actor } from '../core/call.ts'
import type { State } from '../core/lifecycle.ts'
import type { DeclaredCall, StoredEntry } from './entry.ts'

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
  readonly capabilities: readonly string[]
  /** Milliseconds from start to end, on the last event. */
  readonly duration?: number
  readonly error?: { readonly code: string; readonly class: string }
  readonly inputHash: string
  readonly outputHash?: string
  readonly session: string
}

interface Declared {
  readonly call: DeclaredCall
  readonly actor: Actor | null
}

/** Reads the audit trail off a session's log: one event per transition, in the order they were written. */
export function* auditEvents(entries: Iterable<StoredEntry>): Generator<AuditEvent> {
  const open = new Map<string, Declared>()
  for (const { entry, at, session } of entries) {
    if (entry.kind === 'batch') {
      for (const call of entry.calls) {
        const declared = { call, actor: entry.actor }
        open.set(call.execution, declared)
        yield {
          ...common(declared, session.name),
          eventId: `${call.execution}-1`,
          timestamp: at,
          toolVersion: '',
          state: 'DECLARED',
          capabilities: [],
        }
      }
    } else if (entry.kind === 'settled') {
      const declared = open.get(entry.execution)
      if (declared === undefined) continue
      open.delete(entry.execution)
      for (const [index, move] of entry.moves.entries()) {
        if (index === 0) continue
        const isLast = index === entry.moves.length - 1
        yield {
          ...common(declared, session.name),
          eventId: `${entry.execution}-${index + 1}`,
          timestamp: move.at,
          toolVersion: entry.version ?? '',
          state: move.state,
          capabilities: grantedBy(move.state) ? entry.capabilities : [],
          ...(isLast ? { duration: entry.durationMs } : {}),
          ...(isLast && entry.error !== null ? { error: entry.error } : {}),
          ...(isLast && entry.output !== null ? { outputHash: entry.output } : {}),
        }
      }
    }
  }
}

/** Powers are granted with the authorisation, so what ended before has none. */
function grantedBy(state: State): boolean {
  return state !== 'DECLARED' && state !== 'VALIDATED' && state !== 'FAILED' && state !== 'DENIED'
}

function common({ call, actor }: Declared, session: string) {
  return {
    toolId: call.name,
    executionId: call.execution,
    inputHash: call.args,
    session,
    ...(actor === null ? {} : { userId: actor.id, actor }),
  }
}
