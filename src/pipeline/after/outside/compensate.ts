import { shellWord } from '../../../core/command/shell-word.ts'
import type { Actor } from '../../../core/call.ts'
import { LONGEST_TIMER_MS } from '../../../core/clock.ts'
import { withoutFullStop } from '../../../core/text/trim-end.ts'
import { raceAbort } from '../../../core/wait.ts'
import type { Settings } from '../../../config/keys.ts'
import { compensationFailed, compensationStarted } from './compensation-note.ts'
import type { RevertedEntry, StoredEntry } from '../../../journal/entries/entry.ts'
import type { SessionLog } from '../../../journal/log.ts'
import { timeGiven } from '../../time-given.ts'
import { errorFrom } from '../../tool-crash.ts'
import { isCompensationOpen, isTakenBack } from './compensable.ts'
import type { Compensation } from './plan-compensation.ts'

/** What taking back needs. */
export interface CompensateDeps {
  readonly log: SessionLog
  readonly settings: Settings
  readonly newId: () => string
  readonly actor: Actor | null
}

/** What was taken back outside, and why it went no further; null if all of it was. */
export interface Compensated {
  readonly done: readonly Compensation[]
  readonly why: string | null
}

/** Calls that are being taken back by this process; the second of two undos at once must not begin it again. */
const atWork = new Set<string>()

/**
 * Has tools take back what calls did outside the files, the newest first, until one cannot. That it begins is durable
 * before it does, so it is not begun again after a crash: how it ended is then for a person to find out.
 */
export async function compensate(
  wanted: readonly Compensation[],
  deps: CompensateDeps,
): Promise<Compensated> {
  const done: Compensation[] = []
  const end = (why: string): Compensated => ({ done, why: `${why}${describeDone(done)}` })
  for (const one of wanted) {
    const { call, tool } = one
    // An undo at the same time may have been quicker.
    if (atWork.has(call) || isBegunOrDone(deps.log.about(call)))
      return end(
        `${shellWord(call)} was taken back by another undo, or is just being. Run undo again for what is left.`,
      )
    atWork.add(call)
    try {
      deps.log.append({ entries: [compensationStarted(call)], reliance: 'durable' })
      const failed = await takeBack(one, deps)
      if (failed !== null) return end(failed)
      done.push(one)
    } finally {
      atWork.delete(call)
    }
    const { log, newId, actor } = deps
    const execution = newId()
    const entry: RevertedEntry = {
      kind: 'undo',
      execution,
      calls: [call],
      changes: [],
      actor,
      outside: tool.name,
    }
    log.append({ entries: [entry], reliance: 'durable' })
  }
  return { done, why: null }
}

function isBegunOrDone(about: readonly StoredEntry[]): boolean {
  return isCompensationOpen(about) || isTakenBack(about)
}

/** Lets the tool take back a call; why it did not, or null. */
async function takeBack(
  { call, tool, args, output }: Compensation,
  { log, settings }: CompensateDeps,
): Promise<string | null> {
  const given = timeGiven(tool, settings)
  const timeUp = new AbortController()
  const timer = setTimeout(() => timeUp.abort(), Math.min(given, LONGEST_TIMER_MS))
  try {
    await raceAbort((async () => tool.compensate?.(args, output))(), timeUp.signal)
    return null
  } catch (thrown) {
    if (timeUp.signal.aborted)
      return `${tool.name} was still at work after ${given / 1000} s to take back what ${shellWord(call)} did, so how that ends is not known. Look at what it did; it is not begun again.`
    log.append({ entries: [compensationFailed(call)], reliance: 'durable' })
    return `${tool.name} could not take back what ${shellWord(call)} did: ${withoutFullStop(errorFrom(tool.name, thrown).message)}.`
  } finally {
    clearTimeout(timer)
  }
}

/** What a tool takes back, as a report names it. */
export interface TakenBack {
  readonly call: string
  readonly tool: string
  /** What the call did, in one line. */
  readonly summary: string
}

/** The calls of a report, with those that were taken back outside. */
export function reportTakenBack(calls: readonly string[], taken: readonly Compensation[]) {
  return {
    calls: [...calls, ...taken.map(({ call }) => call)],
    outside: taken.map(({ call, tool, summary }): TakenBack => ({ call, tool: tool.name, summary })),
  }
}

/** Says what was taken back already when the rest is not done. */
export function describeTakenBack(done: readonly Compensation[]): string {
  return `Taken back already: ${done.map(({ summary }) => summary).join(', ')}.`
}

function describeDone(done: readonly Compensation[]): string {
  return done.length === 0 ? ' No file was changed.' : ` No file was changed. ${describeTakenBack(done)}`
}
