import type { AnsweredEntry } from '../../journal/entries/entry.ts'
import { findWaiting } from '../../pipeline/parse/waiting-batch.ts'
import type { WaitingBatch } from '../../pipeline/parse/waiting-batch.ts'
import type { Sessions } from '../sessions/sessions.ts'

/** A waiting batch, and which of its questions are to be answered; none where all are answered and it only has to go on. */
export interface Target {
  readonly session: string
  readonly batch: string
  /** The place of the batch in the log. */
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

/** Finds the questions that some ids, or unique beginnings of ids, mean. A batch that lost its process before it went on is found by them too. */
export function chooseQuestions(
  ids: readonly string[] | 'all',
  isApproved: boolean,
  sessions: Sessions,
  session?: string,
): { readonly targets: readonly Target[]; readonly faults: readonly ChoiceFault[] } {
  const found = sessions
    .waiting(session)
    .flatMap((name) => findWaiting(sessions.peek(name)).map((waiting) => ({ session: name, waiting })))
  if (ids === 'all') {
    const targets = found.map((one) => targetOf(one, () => true))
    // A no to everything must not set off what was approved before.
    return { targets: targets.filter(({ approvals }) => isApproved || approvals.length > 0), faults: [] }
  }
  const wanted = new Set<string>()
  const faults: ChoiceFault[] = []
  const known = found.flatMap(({ waiting }) => waiting.asked.questions.map(({ approval }) => approval))
  for (const id of new Set(ids)) {
    const [match, ...others] = known.includes(id)
      ? [id]
      : known.filter((one) => id !== '' && one.startsWith(id))
    if (match === undefined) faults.push({ id, why: whyNotWaiting(id, sessions, session) })
    else if (others.length > 0) faults.push({ id, why: `could be any of ${[match, ...others].join(', ')}` })
    else {
      const given = found.map(({ waiting }) => waiting.answers.get(match)).find((one) => one !== undefined)
      if (given !== undefined && given.isApproved !== isApproved)
        faults.push({ id, why: `has been ${wordFor(given)} already, and the first answer counts` })
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

/** Whether a question has been answered before, read off the whole log: it costs nothing until somebody asks for it. */
function whyNotWaiting(id: string, sessions: Sessions, session?: string): string {
  let batch: string | null = null
  let answer: AnsweredEntry | null = null
  for (const { entry } of sessions.read(session)) {
    if (entry.kind === 'asked' && entry.questions.some(({ approval }) => approval === id)) batch = entry.batch
    if (entry.kind === 'answered' && entry.approval === id) answer ??= entry
  }
  if (batch === null) return 'names nothing that waits; see tongs pending'
  const isInterrupted = sessions.waiting(session).some((name) =>
    sessions
      .peek(name)
      .openBatches()
      .some((open) => open.batch === batch),
  )
  const said = answer === null ? 'was never answered' : `has been ${wordFor(answer)} already`
  return isInterrupted
    ? `${said}, and its batch was interrupted; see tongs recover`
    : `${said}, and its batch is done`
}

function wordFor({ isApproved }: { readonly isApproved: boolean }): string {
  return isApproved ? 'approved' : 'denied'
}
