import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { FailedResult, ToolResult } from '../../core/result.ts'
import { bytesOf } from '../../journal/entries/content.ts'
import type { Landing } from '../../workspace/landing/landing-outcome.ts'
import { tellNowAndThen } from './landing-progress.ts'
import { rollBack } from './roll-back.ts'
import type { RolledBack } from './roll-back.ts'
import type { Run } from '../engine.ts'
import { presentFailure } from '../present.ts'
import type { Answer } from '../record/record.ts'

/**
 * Puts the committed changes of a call in place. If that will never work, the call is rolled back; if it may work
 * later, the call is reported as in doubt.
 */
export async function land({ result, entry, payloads }: Answer, run: Run): Promise<ToolResult> {
  const { engine } = run
  if (entry.changes.length === 0) return result
  const contents = new Map(payloads)
  const contentOf = (digest: string): Uint8Array | null => {
    const content = contents.get(digest)
    return content === undefined ? run.log.payload(digest) : bytesOf(content)
  }
  const { execution, changes } = entry
  const onProgress = tellNowAndThen((done, total) =>
    run.onEvent({ event: 'landing', execution, id: result.id, done, total }),
  )
  const landing = await engine.workspace.landGently(execution, changes, contentOf, { onProgress })
  if (landing.is === 'landed') {
    run.log.landed(entry.execution)
    return result
  }
  if (landing.is === 'failed' && landing.isLasting) {
    const failed = takeBack({ result, entry }, landing.why, run)
    if (failed !== null) return failed
  }
  const error = doubtError(landing)
  // The next command retries a failure; a drifted file needs a person's decision.
  if (landing.is === 'drifted') {
    run.log.append({
      entries: [{ kind: 'note', about: 'in_doubt', execution: entry.execution, data: error.details }],
      reliance: 'durable',
    })
  }
  return presentFailure(result, { error, phase: 'running' }, result.execution)
}

/** Rolls a call back; null if that cannot be recorded now, so that it is left to the next command. */
function takeBack({ result, entry }: Pick<Answer, 'result' | 'entry'>, why: string, run: Run) {
  const { workspace, newId, digest } = run.engine
  let done: RolledBack | null
  try {
    done = rollBack(entry, { because: 'obstacle', why }, { log: run.log, workspace, newId, digest })
  } catch {
    // The commit is on record and the roll-back is not: the next command begins where this one began.
    return null
  }
  if (done === null) return null
  if (done.landing.is === 'landed') return done.result
  const error = unfinishedError(why, done.landing)
  return presentFailure(result, { error, phase: 'running' }, result.execution) satisfies FailedResult
}

type Unlanded = Exclude<Landing, { is: 'landed' }>

/** The error of a change that is committed but not fully in place. */
function doubtError(landing: Unlanded): ToolError {
  const files = filesOf(landing)
  const message = `The change is committed but not fully in place: ${files.join(', ')} ${whyOf(landing)}. Nothing else was changed.`
  return toolError('in_doubt', message, { files, effects: 'unknown' }, [
    landing.is === 'drifted'
      ? 'Run tongs recover, and compare these files with the intended content.'
      : 'Fix the cause; the next tongs command on this root puts the files in place.',
  ])
}

/** The error of a change that could neither be put in place nor, so far, be taken back. */
function unfinishedError(why: string, landing: Unlanded): ToolError {
  const files = filesOf(landing)
  const message = `${why} The change is being taken back, but ${files.join(', ')} ${whyOf(landing)}.`
  return toolError('in_doubt', message, { files, effects: 'unknown' }, [
    landing.is === 'drifted'
      ? 'Run tongs recover, and compare these files with their content before the call.'
      : 'Fix the cause; the next tongs command on this root takes back the rest.',
  ])
}

function filesOf(landing: Unlanded): string[] {
  return landing.is === 'drifted' ? [...landing.files] : [landing.file]
}

function whyOf(landing: Unlanded): string {
  if (landing.is === 'drifted') return 'changed outside this call'
  return `could not be put in place: ${landing.why.replace(/\.$/, '')}`
}
