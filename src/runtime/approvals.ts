import type { ApprovalRequest } from '../core/approval.ts'
import type { Actor } from '../core/call.ts'
import type { ToolResult } from '../core/result.ts'
import type { SessionLog } from '../journal/log.ts'
import type { House, Run } from '../pipeline/house.ts'
import {
  answerQuestion,
  continueBatch,
  findWaiting,
  openQuestions,
  waitingRows,
} from '../pipeline/pending.ts'
import type { Decision, WaitingBatch } from '../pipeline/pending.ts'
import type { Mailbox } from './mailbox.ts'
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
  /** Answers that went to a live process which owns the session and waits for them. */
  readonly handed: readonly string[]
  /** Ids that name no open question. */
  readonly unknown: readonly string[]
}

/** Questions that wait, over the sessions of a root. */
export interface Approvals {
  readonly pending: (session?: string) => Promise<readonly ApprovalRequest[]>
  readonly decide: (ids: readonly string[] | 'all', options: DecideOptions) => Promise<Decided>
}

/** What answering needs. */
export interface ApprovalsHouse {
  readonly sessions: Sessions
  readonly mailbox: Mailbox
  readonly house: () => Promise<House>
  readonly runIn: (log: SessionLog, options: DecideOptions) => Run
}

/** Finds waiting questions, takes answers, and runs a batch when its last answer is in. */
export function createApprovals({ sessions, mailbox, house, runIn }: ApprovalsHouse): Approvals {
  async function pending(session?: string): Promise<readonly ApprovalRequest[]> {
    const now = (await house()).clock.now()
    const logs = sessions.waiting(session).map((name) => sessions.peek(name))
    const questions = logs.flatMap((log) =>
      findWaiting(log).flatMap((waiting) => openQuestions(waiting, log)),
    )
    return questions.filter(({ expires_at }) => expires_at >= now)
  }

  /** Answers the chosen questions of one batch, and runs it if none is left. */
  async function answer(
    waiting: WaitingBatch,
    chosen: readonly string[],
    decision: Decision,
    log: SessionLog,
    options: DecideOptions,
  ) {
    for (const id of chosen) answerQuestion(waiting, id, decision, log)
    const now = findWaiting(log).find(({ batch }) => batch.batch === waiting.batch.batch)
    if (now === undefined) return { results: [], open: [] }
    const open = openQuestions(now, log)
    const hall = await house()
    const run = runIn(log, options)
    if (open.length === 0 || hall.clock.now() > now.asked.expiresAt)
      return { results: await continueBatch(now, hall, run), open: [] }
    return { results: waitingRows(now, hall, run), open }
  }

  async function decide(ids: readonly string[] | 'all', options: DecideOptions): Promise<Decided> {
    const results: ToolResult[] = []
    const open: ApprovalRequest[] = []
    const handed: string[] = []
    const known = new Set<string>()
    const decision: Decision = {
      isApproved: options.isApproved,
      say: options.say ?? null,
      actor: options.actor ?? null,
    }
    for (const name of sessions.waiting(options.session)) {
      const reader = sessions.peek(name)
      for (const seen of findWaiting(reader)) {
        const chosen = openQuestions(seen, reader)
          .map(({ id }) => id)
          .filter((id) => ids === 'all' || ids.some((wanted) => wanted !== '' && id.startsWith(wanted)))
        if (chosen.length === 0) continue
        for (const id of chosen) known.add(id)
        const log = await sessions.tryOpen(name)
        if (log === null) {
          await mailbox.post(chosen, decision)
          handed.push(...chosen)
          continue
        }
        const waiting = findWaiting(log).find(({ batch }) => batch.batch === seen.batch.batch)
        if (waiting === undefined) continue
        const outcome = await answer(waiting, chosen, decision, log, options)
        results.push(...outcome.results)
        open.push(...outcome.open)
      }
    }
    const unknown =
      ids === 'all'
        ? []
        : ids.filter((wanted) => ![...known].some((id) => wanted !== '' && id.startsWith(wanted)))
    return { results, open, handed, unknown }
  }

  return { pending, decide }
}
