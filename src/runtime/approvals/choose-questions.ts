import type { Decision } from '../../core/approval.ts'
import type { AnsweredEntry } from '../../journal/entries/entry.ts'
import { findWaiting } from '../../pipeline/parse/waiting-batch.ts'
import type { WaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** A waiting batch, and which of its questions to answer; none if all are answered and it only has to continue. */
export interface Target {
  readonly session: string
  readonly batch: string
  /** The sequence number of the batch in the log. */
  readonly seq: number
  readonly approvals: readonly string[]
}

/** An id that cannot be answered, and why, as the end of a sentence. */
export interface ChoiceFault {
  readonly id: string
  readonly why: string
}

interface Found {
  readonly session: string
  readonly waiting: WaitingBatch
}

/** Whether a landing was answered and is still there: its process died before it went on, or is at it right now. */
export function isStopped({ asked, answers, landings }: WaitingBatch): boolean {
  return (
    asked.questions.every(({ approval }) => answers.has(approval)) &&
    asked.questions.some(({ execution }) => landings.has(execution))
  )
}

/** The same batch, to be answered again if it has stopped: nothing of it has landed. */
export function asStopped(waiting: WaitingBatch): WaitingBatch {
  return isStopped(waiting) ? { ...waiting, answers: new Map() } : waiting
}

/** Finds questions by ids or unique prefixes of ids, including those of an answered batch whose process died before it continued. */
export async function chooseQuestions(
  ids: readonly string[] | 'all',
  isApproved: boolean,
  sessions: Sessions,
  session?: string,
): Promise<{ readonly targets: readonly Target[]; readonly faults: readonly ChoiceFault[] }> {
  const found = sessions
    .waiting(session)
    .flatMap((name) =>
      findWaiting(sessions.peek(name)).map((waiting) => ({ session: name, waiting: asStopped(waiting) })),
    )
  if (ids === 'all') {
    // Denying everything must not run what was approved before.
    const isHarmless = ({ waiting: { asked, answers } }: Found): boolean =>
      asked.questions.some(({ approval }) => answers.get(approval) === undefined) ||
      asked.questions.every(({ approval }) => answers.get(approval)?.isApproved === false)
    const chosen = found.filter((one) => isApproved || isHarmless(one))
    return { targets: chosen.map((one) => targetOf(one, () => true)), faults: [] }
  }
  const wanted = new Set<string>()
  const faults: ChoiceFault[] = []
  const known = found.flatMap(({ waiting }) => waiting.asked.questions.map(({ approval }) => approval))
  for (const id of new Set(ids)) {
    const [match, ...others] = known.includes(id)
      ? [id]
      : known.filter((one) => id !== '' && one.startsWith(id))
    if (match === undefined) faults.push({ id, why: await whyNotWaiting(id, sessions, session) })
    else if (others.length > 0) faults.push({ id, why: `could be any of ${[match, ...others].join(', ')}` })
    else {
      const given = found.map(({ waiting }) => waiting.answers.get(match)).find((one) => one !== undefined)
      if (given !== undefined && given.isApproved !== isApproved)
        faults.push({ id, why: sayOvertaken(given) })
      else wanted.add(match)
    }
  }
  const targets = found
    .filter(({ waiting }) => waiting.asked.questions.some(({ approval }) => wanted.has(approval)))
    .map((one) => targetOf(one, (approval) => wanted.has(approval)))
  return { targets, faults }
}

function targetOf({ session, waiting }: Found, isWanted: (approval: string) => boolean): Target {
  const approvals = waiting.asked.questions
    .map(({ approval }) => approval)
    .filter((approval) => isWanted(approval) && !waiting.answers.has(approval))
  return { session, batch: waiting.batch.batch, seq: waiting.seq, approvals }
}

/** Why a question is not waiting. Reads the whole log, so it runs only after an id did not match. */
async function whyNotWaiting(id: string, sessions: Sessions, session?: string): Promise<string> {
  let batch: string | null = null
  let answer: AnsweredEntry | null = null
  for (const { entry } of sessions.read(session)) {
    if (entry.kind === 'asked' && entry.questions.some(({ approval }) => approval === id)) batch = entry.batch
    if (entry.kind === 'answered' && entry.approval === id) answer ??= entry
  }
  if (batch === null) return 'does not match a waiting question; see tongs pending'
  const findOpen = (): string | undefined =>
    sessions.waiting(session).find((name) =>
      sessions
        .peek(name)
        .openBatches()
        .some((open) => open.batch === batch),
    )
  const status = answer === null ? 'was never answered' : sayAnswered(answer)
  const owner = findOpen()
  const isInUse = owner !== undefined && (await sessions.isInUse(owner))
  // It may have ended before that look.
  if (findOpen() === undefined) return `${status}, and its batch is done`
  return isInUse
    ? `${status}, and its batch is still at work`
    : `${status}, and its batch was interrupted; see tongs recover`
}

/**
 * What keeps an answer from counting, if another one came first; null if the answer on record may be this one. A yes that
 * asks for a grant, or for a part of a change, is not the same as a plain one.
 */
export function findOvertaken(
  first: AnsweredEntry,
  given: Decision | undefined,
  mayCount: boolean,
): ChoiceFault | null {
  const { approval, isApproved, hunks, grant } = first
  const hasLostGrant = given?.wish !== undefined && grant === undefined
  const isSame = given?.isApproved === isApproved && !hasLostGrant && given.hunks?.join() === hunks?.join()
  if (mayCount && isSame) return null
  return { id: approval, why: `${sayOvertaken(first)}${hasLostGrant ? '; no grant was made' : ''}` }
}

/** Why an answer does not count, as the end of a sentence: another one came first. */
function sayOvertaken(first: Pick<AnsweredEntry, 'isApproved' | 'actor'>): string {
  return `${sayAnswered(first)}, and the first answer counts`
}

function sayAnswered({ isApproved, actor }: Pick<AnsweredEntry, 'isApproved' | 'actor'>): string {
  const by = actor === null ? '' : ` by ${actor.id}`
  return `was already ${isApproved ? 'approved' : 'denied'}${by}`
}
