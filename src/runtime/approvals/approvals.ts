import { INBOX_POLL_MS } from '../../config/fixed-values.ts'
import type { ApprovalRequest, Decision } from '../../core/approval.ts'
import { isJsonObject, parseJson } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { ToolResult } from '../../core/result.ts'
import { shellWord } from '../../core/command/shell-word.ts'
import { waitFor } from '../../core/wait.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { Engine, Run } from '../../pipeline/engine.ts'
import { findHeld } from '../../pipeline/approve/held.ts'
import { ASK_ANEW, openQuestions } from '../../pipeline/approve/open-questions.ts'
import { findWaiting, findWaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import type { WaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import { waitingRows } from '../../pipeline/resume/resume.ts'
import { continueBatch } from '../../pipeline/run-batch.ts'
import { findAnswerDoubt, findOutsideDoubt, findWaitingDoubt } from './find-doubt.ts'
import { followBatch } from './follow-batch.ts'
import { recordAnswers } from './record-answers.ts'
import { createJudge } from './judge-answers.ts'
import type { Judgement } from './judge-answers.ts'
import { asStopped, isStopped } from './choose-questions.ts'
import type { ChoiceFault, Target } from './choose-questions.ts'
import type { Decisions, GivenAnswer, GivenDecisions } from './make-decisions.ts'
import type { AnswerInboxFolder } from './answer-inbox.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** How to answer waiting questions. */
export interface DecideOptions extends GivenAnswer {
  readonly session?: string
  readonly signal?: AbortSignal
}

/** The outcome of answering. */
export interface Decided {
  /** The rows of every batch that was answered: results if it has run, notices if it still waits. */
  readonly results: readonly ToolResult[]
  /** Questions that are still open in those batches. */
  readonly open: readonly ApprovalRequest[]
  /** Answers that a live process took, because it owns the session. */
  readonly handed: readonly string[]
  /** Ids that could not be answered; an unknown id prevents all others from being answered too. */
  readonly faults: readonly ChoiceFault[]
}

/** A call that was not run, because a person supplies its result. */
export interface WaitingForResult {
  readonly kind: 'held'
  readonly session: string
  readonly id: string
  readonly execution: string
  readonly name: string
  readonly args: JsonObject
  /** The command that supplies its result, or for a damaged one an error. */
  readonly answer: string
  /** Why it can only be answered with an error: what is stored of it is not what was called. */
  readonly damaged?: string
}

/** Waiting questions in the sessions of a root. */
export interface Approvals {
  readonly pending: (session?: string) => Promise<readonly ApprovalRequest[]>
  readonly held: (session?: string) => readonly WaitingForResult[]
  readonly decide: (ids: readonly string[] | 'all', options: DecideOptions) => Promise<Decided>
  /** Waits for the batches of a session that go on, and continues those whose questions expired: their calls are denied. */
  readonly expire: (session: string, options: Pick<DecideOptions, 'actor'>) => Promise<void>
  /** Takes an answer that another process left for a session of this one. */
  readonly take: (
    log: SessionLog,
    approval: string,
    decision: Decision,
    options: Pick<DecideOptions, 'actor' | 'signal'>,
  ) => Promise<void>
}

/** What answering needs. */
export interface ApprovalsDeps {
  readonly sessions: Sessions
  readonly inbox: AnswerInboxFolder
  readonly openEngine: () => Promise<Engine>
  readonly runIn: (engine: Engine, log: SessionLog, options: Pick<DecideOptions, 'actor' | 'signal'>) => Run
  /** How long to wait for a live owner of the session. */
  readonly waitMs: number
}

/** Finds waiting questions, takes answers, and runs a batch after its last answer. */
export function createApprovals(parts: ApprovalsDeps): Approvals {
  const { sessions, openEngine } = parts
  const deps: AnsweringDeps = { ...parts, continuing: new Map() }
  const judge = createJudge(sessions, openEngine)
  return {
    async pending(session) {
      const engine = await openEngine()
      const now = engine.clock.now()
      const logs = sessions.waiting(session).map((name) => sessions.peek(name))
      const questions = logs.flatMap((log) => {
        const waiting = findWaiting(log).filter(({ batch }) => !deps.continuing.has(batch.batch))
        const doubt = waiting.length === 0 ? null : findOutsideDoubt(log)
        return waiting.flatMap((one) => openQuestions(asStopped(one), log, engine, doubt))
      })
      return questions.filter(({ expires_at }) => expires_at >= now)
    },
    held: (session) =>
      sessions.waiting(session).flatMap((name) => {
        const log = sessions.peek(name)
        const open = findHeld(log)?.calls.filter(({ isAnswered }) => !isAnswered) ?? []
        const doubt = open.length === 0 ? null : findOutsideDoubt(log)
        return open.map(({ call: { id, execution, name: tool, args }, damaged: own }) => {
          const damaged = doubt ?? own
          // The id comes from the model, so it has no place in what a person pastes into a shell.
          const line = damaged === null ? `/tool ${execution} RESULT` : `/tool error ${execution} TEXT`
          return {
            kind: 'held' as const,
            session: name,
            id,
            execution,
            name: tool,
            args: readArguments(log.payload(args)),
            answer: `tongs run --continue --session ${shellWord(name)} "${line}"`,
            ...(damaged === null ? {} : { damaged }),
          }
        })
      }),
    decide: async (ids, options) => give(await judge(ids, options, options.session), options, deps),
    async expire(session, options) {
      const mine = [...deps.continuing.values()].filter((one) => one.session === session)
      await Promise.allSettled(mine.map(({ going }) => going))
      if (!sessions.waiting(session).includes(session)) return
      const log = await sessions.open(session)
      const now = (await openEngine()).clock.now()
      for (const { batch, asked } of findWaiting(log))
        if (now > asked.expiresAt && deps.inbox.listener(batch.batch) === null)
          await answer({ batch: batch.batch, approvals: [] }, NOTHING_GIVEN, { log, options }, deps)
    },
    async take(log, approval, decision, options) {
      const waiting = findWaiting(log).find(({ asked }) =>
        asked.questions.some((question) => question.approval === approval),
      )
      if (waiting === undefined) return
      const target = { batch: waiting.batch.batch, approvals: [approval] }
      const given = { decisions: new Map([[approval, decision]]), mayCount: () => false }
      await answer(target, given, { log, options }, deps)
    },
  }
}

interface AnsweringDeps extends ApprovalsDeps {
  /**
   * The batches that this process goes on with after their answers. In the log, one that is landing looks like one whose
   * process died.
   */
  readonly continuing: Map<string, { readonly session: string; readonly going: Promise<unknown> }>
}

const NOTHING_GIVEN: GivenDecisions = { decisions: new Map(), mayCount: () => false }

async function give(
  { targets, decisions, faults }: Judgement,
  options: DecideOptions,
  deps: AnsweringDeps,
): Promise<Decided> {
  if (faults.length > 0) return outcome({ faults })
  const outcomes: Decided[] = []
  for (const target of targets) outcomes.push(await deliver(target, decisions, options, deps))
  return {
    results: outcomes.flatMap(({ results }) => results),
    open: outcomes.flatMap(({ open }) => open),
    handed: outcomes.flatMap(({ handed }) => handed),
    faults: outcomes.flatMap((one) => one.faults),
  }
}

/**
 * Answers in this process if the session is free; otherwise leaves the answers for the process that owns it. Questions
 * that this process is asking right now are answered where they are asked.
 */
async function deliver(
  target: Target,
  decisions: Decisions,
  options: DecideOptions,
  deps: AnsweringDeps,
): Promise<Decided> {
  const { sessions, inbox, waitMs } = deps
  const { clock } = await deps.openEngine()
  const deadline = clock.elapsed() + waitMs
  const follow = async (mayCount = (_approval: string): boolean => true): Promise<Decided> =>
    outcome(await followBatch(target, { decisions, mayCount }, deadline, deps))
  const hear = inbox.listener(target.batch)
  if (hear !== null) {
    const isHeard = (approval: string): boolean => {
      const decision = decisions.get(approval)
      return decision !== undefined && hear(approval, decision)
    }
    const taken = new Set(target.approvals.filter(isHeard))
    return follow((approval) => taken.has(approval))
  }
  for (let isPosted = false; ; isPosted = true) {
    const log = await sessions.tryOpen(target.session)
    if (log !== null) {
      // Not before an answer is on record: another process takes the absence of its own for that.
      const clearInbox = (): void => {
        for (const approval of target.approvals) {
          inbox.withdraw([approval])
          inbox.drop(approval)
        }
      }
      // What was left for another process may have counted; what was not cannot have.
      const mayCount = (): boolean => isPosted
      const given = { decisions, mayCount }
      const place = { log, options, onRecorded: clearInbox }
      const answered = await answer(target, given, place, deps).finally(clearInbox)
      return answered ?? (await follow(mayCount))
    }
    if (!isPosted) inbox.post(target.approvals, decisions)
    if (target.approvals.every(inbox.isGone)) return follow()
    if (options.signal?.aborted === true && inbox.withdraw(target.approvals)) return unanswered(target)
    // Opening fails with an error that names the owner; only answers that were not taken can be withdrawn.
    if (clock.elapsed() >= deadline && inbox.withdraw(target.approvals))
      await sessions.open(target.session, 0)
    await waitFor(INBOX_POLL_MS.answering)
  }
}

/** Where answers are recorded, and for whom. */
interface AnsweringPlace {
  readonly log: SessionLog
  readonly options: Pick<DecideOptions, 'actor' | 'signal'>
  readonly onRecorded?: () => void
}

/** Records answers, and runs the batch if none is missing; null if it does not wait any more. */
async function answer(
  { batch, approvals }: Pick<Target, 'batch' | 'approvals'>,
  given: GivenDecisions,
  { log, options, onRecorded }: AnsweringPlace,
  { openEngine, runIn, continuing }: AnsweringDeps,
): Promise<Decided | null> {
  const engine = await openEngine()
  await engine.rules.prepare(log, null, options.signal)
  // From here until the batch is taken up nothing is awaited, so that two answers at once cannot both take it up.
  const found = continuing.has(batch) ? null : findWaitingBatch(batch, log)
  if (found === null) return null
  // The questions and earlier answers are read from the log, so an entry that another program wrote could approve.
  const run = runIn(engine, log, options)
  const before = approvals.length > 0 && isStopped(found) ? askAgain(found, run) : found
  const { decisions } = given
  const damage = findWaitingDoubt(before, run)
  const doubt = damage ?? findAnswerDoubt(before, approvals, decisions, run)
  // What is damaged can be denied, as it can expire: then none of the batch runs.
  const isRefused = damage !== null && refusesAll(before, approvals, decisions, engine.clock.now())
  if (doubt !== null && !isRefused)
    return outcome({
      faults: approvals.map((id) => ({ id, why: `was not answered, because ${doubt}. ${ASK_ANEW}` })),
    })
  const faults = recordAnswers(before, approvals, given, run)
  onRecorded?.()
  const now = findWaitingBatch(batch, log) ?? before
  const open = openQuestions(now, log, engine, damage)
  if (open.length > 0 && engine.clock.now() <= now.asked.expiresAt)
    return outcome({ results: waitingRows(now), open, faults })
  const going = Promise.resolve(continueBatch({ ...now, isDamaged: isRefused }, run))
  continuing.set(batch, { session: log.key.name, going })
  try {
    return outcome({ results: await going, faults })
  } finally {
    continuing.delete(batch)
  }
}

/** Whether these answers let nothing run, or the questions expired. Without answers, those on record count. */
function refusesAll(
  { asked, answers }: WaitingBatch,
  approvals: readonly string[],
  decisions: Decisions,
  now: number,
): boolean {
  if (now > asked.expiresAt) return true
  const given = approvals.length > 0 ? approvals.map((id) => decisions.get(id)) : [...answers.values()]
  return given.every((decision) => decision?.isApproved === false)
}

/** Takes the batch up in place of the process that died: with that, the answers to a landing that is still there are void. */
function askAgain(stopped: WaitingBatch, { log, pass }: Run): WaitingBatch {
  const { batch } = stopped.batch
  log.append({ entries: [{ kind: 'continued', batch, pass }], reliance: 'durable' })
  return findWaitingBatch(batch, log) ?? stopped
}

function outcome(some: Partial<Decided>): Decided {
  return { results: [], open: [], handed: [], faults: [], ...some }
}

function unanswered({ approvals }: Target): Decided {
  const why = 'was not answered, because you stopped waiting for the process that owns the session'
  return outcome({ faults: approvals.map((id) => ({ id, why })) })
}

function readArguments(bytes: Uint8Array | null): JsonObject {
  const args = bytes === null ? null : parseJson(new TextDecoder().decode(bytes))
  return isJsonObject(args) ? args : {}
}
