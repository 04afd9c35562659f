import { Buffer } from 'node:buffer'
import { join } from 'node:path'
import { areHunks } from '../../core/approval.ts'
import type { Decision, GrantRequest } from '../../core/approval.ts'
import type { Actor } from '../../core/call.ts'
import { readScope } from '../../core/grant.ts'
import { isJsonObject, ownFields } from '../../core/json/value.ts'
import { removeIfExists, renameIfExists, replaceText } from '../../host/fs/folders.ts'
import { readTextIfExists } from '../../host/fs/plain-file.ts'
import { secretBytes } from '../../host/system/hash.ts'
import { explainFault } from '../../journal/explain-fault.ts'
import type { GrantStore } from '../../journal/grants/grant-store.ts'
import type { AnswerInbox, HearAnswer } from '../../pipeline/engine.ts'

/** Holds answers for a live process that owns the session. An answer stays there until it is recorded. */
export interface AnswerInboxFolder extends AnswerInbox {
  /** What takes the answers to a batch whose questions this process is asking right now, or null. */
  readonly listener: (batch: string) => HearAnswer | null
  readonly post: (approvals: readonly string[], decisions: ReadonlyMap<string, Decision>) => void
  /** Whether an answer is neither waiting nor taken but not yet recorded. */
  readonly isGone: (approval: string) => boolean
  /** Removes answers, all or none of them; false if the owner has already taken one. */
  readonly withdraw: (approvals: readonly string[]) => boolean
}

/**
 * Opens the inbox of a state folder; it is next to the journal, readable only by the owner. Each answer is sealed
 * together with its question, because one that another program left there must not count. It has a name of its own, so
 * that the log can say that it was taken back, and a copy of it that is put there again does not count either.
 */
export function openAnswerInbox(
  stateDir: string,
  grants: () => Pick<GrantStore, 'sealAnswer' | 'noteWithdrawn' | 'mayBeWithdrawn'>,
): AnswerInboxFolder {
  const file = (approval: string, ending: string): string =>
    join(stateDir, 'mailbox', `${approval.replaceAll(/[^0-9a-z]/g, '')}.${ending}`)
  const posted = (approval: string): string => file(approval, 'json')
  const taken = (approval: string): string => file(approval, 'taken')
  /** Faults of the inbox are explained like those of the journal next to it. */
  const guard = <T>(run: () => T): T => {
    try {
      return run()
    } catch (error) {
      throw explainFault(error, stateDir)
    }
  }
  const sealOf = (approval: string, answer: string): string => grants().sealAnswer(`${approval}\n${answer}`)
  /** The names of the answers that this process has left; what is in the inbox may not be what it left. */
  const named = new Map<string, string>()
  const sealed = (approval: string, decision: Decision): string => {
    const name = Buffer.from(secretBytes(NAME_BYTES)).toString('hex')
    named.set(approval, name)
    const answer = `${name}\n${JSON.stringify(decision)}`
    return `${sealOf(approval, answer)}\n${answer}`
  }
  const readSealed = (approval: string): NamedAnswer | null => {
    const text = readTextIfExists(taken(approval), 'own') ?? ''
    const [, mark = '', name = '', answer = ''] = /^([^\n]*)\n([^\n]*)\n(.*)$/s.exec(text) ?? []
    if (mark !== sealOf(approval, `${name}\n${answer}`)) return null
    const decision = readDecision(answer)
    return decision === null ? null : { name, decision }
  }
  const listeners = new Map<string, HearAnswer>()
  return {
    listen(batch, hear) {
      listeners.set(batch, hear)
      return () => void listeners.delete(batch)
    },
    listener: (batch) => listeners.get(batch) ?? null,
    post: (approvals, decisions) =>
      guard(() => {
        for (const approval of approvals) {
          const decision = decisions.get(approval)
          if (decision !== undefined) replaceText(posted(approval), sealed(approval, decision))
        }
      }),
    isGone: (approval) =>
      guard(
        () =>
          readTextIfExists(posted(approval), 'own') === null &&
          readTextIfExists(taken(approval), 'own') === null,
      ),
    withdraw: (approvals) =>
      guard(() => {
        const claimed = approvals.filter((approval) => renameIfExists(posted(approval), taken(approval)))
        const isWhole = claimed.length === approvals.length
        const names = isWhole ? claimed.flatMap((approval) => named.get(approval) ?? []) : []
        // First, so that no copy of them counts at any time after this.
        if (names.length > 0) grants().noteWithdrawn(names)
        for (const approval of claimed) {
          if (isWhole) removeIfExists(taken(approval))
          else renameIfExists(taken(approval), posted(approval))
        }
        return isWhole
      }),
    take: (approval) =>
      guard(() => {
        // The rename claims it, so it cannot be withdrawn while it is being recorded.
        if (!renameIfExists(posted(approval), taken(approval))) return null
        const found = readSealed(approval)
        const counts = found !== null && !(found.decision.isApproved && grants().mayBeWithdrawn(found.name))
        if (counts) return found.decision
        // Its sender waits until it is gone.
        removeIfExists(taken(approval))
        return null
      }),
    putBack: (approval) => guard(() => void renameIfExists(taken(approval), posted(approval))),
    drop: (approval) => guard(() => removeIfExists(taken(approval))),
  }
}

const NAME_BYTES = 16

/** An answer as it lies in the inbox. */
interface NamedAnswer {
  readonly name: string
  readonly decision: Decision
}

/** Reads an answer; null if it cannot be read. A yes with a field that is not known may be narrower than it looks. */
function readDecision(text: string): Decision | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value)) return null
    const { isApproved, say, actor, wish, hunks, asked, ...unknown } = ownFields(value)
    if (typeof isApproved !== 'boolean' || Object.keys(unknown).length > 0) return null
    const request = wish === undefined ? undefined : readGrantRequest(wish)
    if (request === null || (hunks !== undefined && !areHunks(hunks))) return null
    if (asked !== undefined && typeof asked !== 'string') return null
    return {
      isApproved,
      say: typeof say === 'string' ? say : null,
      actor: readActor(actor),
      ...(request === undefined ? {} : { wish: request }),
      ...(hunks === undefined ? {} : { hunks }),
      ...(asked === undefined ? {} : { asked }),
    }
  } catch {
    return null
  }
}

function readGrantRequest(value: unknown): GrantRequest | null {
  if (!isJsonObject(value)) return null
  const { seconds, scope: given } = ownFields(value)
  const scope = readScope(given)
  if (scope === null || (seconds !== null && typeof seconds !== 'number')) return null
  return { scope, seconds }
}

function readActor(value: unknown): Actor | null {
  const { id, tenant } = ownFields(value)
  if (typeof id !== 'string') return null
  return typeof tenant === 'string' ? { id, tenant } : { id }
}
