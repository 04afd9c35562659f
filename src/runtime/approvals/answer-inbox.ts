import { join } from 'node:path'
import type { Decision, GrantRequest } from '../../core/approval.ts'
import type { Actor } from '../../core/call.ts'
import { readScope } from '../../core/grant.ts'
import { isJsonObject } from '../../core/json/value.ts'
import { readTextIfExists, removeIfExists, renameIfExists, replaceText } from '../../host/fs/folders.ts'
import { explainFault } from '../../journal/explain-fault.ts'
import type { AnswerInbox } from '../../pipeline/engine.ts'

/** Where answers are left for a live process that owns the session. An answer lies there until it is written down. */
export interface AnswerInboxFolder extends AnswerInbox {
  readonly post: (approvals: readonly string[], decisions: ReadonlyMap<string, Decision>) => void
  /** Whether an answer is neither waiting to be taken nor in the hands of whoever took it. */
  readonly isGone: (approval: string) => boolean
  /** Takes back answers that nobody has taken; false where the owner was quicker with one. */
  readonly withdraw: (approvals: readonly string[]) => boolean
}

/** Opens the inbox of a state folder; it lies beside the journal, owner-only. */
export function openAnswerInbox(stateDir: string): AnswerInboxFolder {
  const file = (approval: string, ending: string): string =>
    join(stateDir, 'mailbox', `${approval.replaceAll(/[^0-9a-z]/g, '')}.${ending}`)
  const posted = (approval: string): string => file(approval, 'json')
  const taken = (approval: string): string => file(approval, 'taken')
  /** The inbox shares the fate of the journal beside it, and its words. */
  const guard = <T>(run: () => T): T => {
    try {
      return run()
    } catch (error) {
      throw explainFault(error, stateDir)
    }
  }
  return {
    post: (approvals, decisions) =>
      guard(() => {
        for (const approval of approvals) {
          const decision = decisions.get(approval)
          if (decision !== undefined) replaceText(posted(approval), JSON.stringify(decision))
        }
      }),
    isGone: (approval) =>
      guard(() => readTextIfExists(posted(approval)) === null && readTextIfExists(taken(approval)) === null),
    withdraw: (approvals) =>
      guard(() => {
        const kept = approvals.filter((approval) => !renameIfExists(posted(approval), taken(approval)))
        for (const approval of approvals) if (!kept.includes(approval)) removeIfExists(taken(approval))
        return kept.length === 0
      }),
    take: (approval) =>
      guard(() => {
        // Whoever renames it has it, so nobody can take it back while it is being written down.
        if (!renameIfExists(posted(approval), taken(approval))) return null
        return readDecision(readTextIfExists(taken(approval)) ?? '')
      }),
    drop: (approval) => guard(() => removeIfExists(taken(approval))),
  }
}

/** What cannot be read is no answer. */
function readDecision(text: string): Decision | null {
  try {
    const value: unknown = JSON.parse(text)
    if (!isJsonObject(value) || typeof value['isApproved'] !== 'boolean') return null
    const { isApproved, say, actor, wish } = value
    const read = wish === undefined ? undefined : readWish(wish)
    if (read === null) return null
    return {
      isApproved,
      say: typeof say === 'string' ? say : null,
      actor: readActor(actor),
      ...(read === undefined ? {} : { wish: read }),
    }
  } catch {
    return null
  }
}

function readWish(value: unknown): GrantRequest | null {
  if (!isJsonObject(value)) return null
  const { seconds } = value
  const scope = readScope(value['scope'])
  if (scope === null || (seconds !== null && typeof seconds !== 'number')) return null
  return { scope, seconds }
}

function readActor(value: unknown): Actor | null {
  if (!isJsonObject(value) || typeof value['id'] !== 'string') return null
  const { id, tenant } = value
  return typeof tenant === 'string' ? { id, tenant } : { id }
}
