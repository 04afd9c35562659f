import type { ApprovalRequest } from '../core/approval.ts'
import type { Actor } from '../core/call.ts'
import type { ToolResult } from '../core/result.ts'
import type { SessionLog } from '../journal/log.ts'
import type { House, Run } from '../pipeline/house.ts'
import { answerQuestion, continueBatch, findWaiting, openQuestions, waitingRows } from '../pipeline/pending.ts'
import type { WaitingBatch } from '../pipeline/pending.ts'
import type { Sessions } from './sessions.ts'

/** How to answer waiting questions. */
export interface DecideOptions {
  readonly session?: string
  readonly isApproved: boolean
  /** Words for the model, on a denial. */
  readonly say?: string
  readonly actor?: Actor
  readonly signal?: AbortSignal
}

/** What an answer led to. */
export interface Decided {
  /** The rows of every batch that was answered: results where it has run, notices where it still waits. */
  readonly results: readonly ToolResult[]
  /** What is still open in those batches. */
  readonly open: readonly ApprovalRequest[]
  /** Ids that name no open question. */
  readonly unknown: readonly string[]
}

/** Questions that wait, over the sessions of a root. */
export interface Approvals {
  readonly pending: (session?: string) => Promise<readonly ApprovalRequest[]>
  readonly decide: (ids: readonly string[] | 'all', options: DecideOptions) => Promise<Decided>
}

interface Desk {
  readonly log: SessionLog
  readonly waiting: WaitingBatch
}

/** Finds waiting questions, takes answers, and runs a batch when its last answer is in. */
export function createApprovals(sessions: Sessions, house: () => Promise<House>, runIn: (log: SessionLog, options: DecideOptions) => Run): Approvals {
  async function desks(session: string | undefined): Promise<readonly Desk[]> {
    const found: Desk[] = []
    for (const name of sessions.waiting(session)) {
      const log = await sessions.open(name)
      found.push(...findWaiting(log).map((waiting) => ({ log, waiting })))
    }
    return found
  }

  return {
    async pending(session) {
      const now = (await house()).clock.now()
      return (await desks(session)).flatMap(({ log, waiting }) => openQuestions(waiting, log)).filter(({ expires_at }) => expires_at >= now)
    },
    async decide(ids, options) {
      const results: ToolResult[] = []
      const open: ApprovalRequest[] = []
      const unknown = new Set(ids === 'all' ? [] : ids)
      for (const { log, waiting } of await desks(options.session)) {
        const chosen = openQuestions(waiting, log).filter(({ id }) => ids === 'all' || ids.some((wanted) => id.startsWith(wanted)))
        if (chosen.length === 0) continue
        for (const { id } of chosen) {
          answerQuestion(waiting, id, { isApproved: options.isApproved, say: options.say ?? null, actor: options.actor ?? null }, log)
          for (const wanted of unknown) if (id.startsWith(wanted)) unknown.delete(wanted)
        }
        const [now] = findWaiting(log).filter(({ batch }) => batch.batch === waiting.batch.batch)
        if (now === undefined) continue
        const left = openQuestions(now, log)
        const isDue = left.length === 0 || (await house()).clock.now() > now.asked.expiresAt
        open.push(...(isDue ? [] : left))
        const run = runIn(log, options)
        results.push(...(isDue ? await continueBatch(now, await house(), run) : waitingRows(now, await house(), run)))
      }
      return { results, open, unknown: [...unknown] }
    },
  }
}
