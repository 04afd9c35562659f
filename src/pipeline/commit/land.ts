import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { ToolResult } from '../../core/result.ts'
import { bytesOf } from '../../journal/entries/content.ts'
import type { SettledEntry } from '../../journal/entries/entry.ts'
import type { Landing } from '../../workspace/landing/landing-outcome.ts'
import { joinChain } from './chains.ts'
import { tellNowAndThen } from './landing-progress.ts'
import { inDoubt, rollBack } from './roll-back.ts'
import type { RolledBack } from './roll-back.ts'
import type { Run } from '../engine.ts'
import { presentFailure } from '../present.ts'
import type { Answer } from '../record/record.ts'

/**
 * Puts the committed changes of a chain of calls in place. If that will never work, the calls are rolled back; if it may
 * work later, they are reported as in doubt. Returns their results by execution.
 */
export async function land(chain: readonly Answer[], run: Run): Promise<ReadonlyMap<string, ToolResult>> {
  const { engine } = run
  const executions = chain.map(({ entry }) => entry.execution)
  const [first] = chain
  if (first === undefined) return new Map()
  const contents = new Map(chain.flatMap(({ payloads }) => payloads))
  const contentOf = (digest: string): Uint8Array | null => {
    const content = contents.get(digest)
    return content === undefined ? run.log.payload(digest) : bytesOf(content)
  }
  const { execution, id } = first.call
  const onProgress = tellNowAndThen((done, total) =>
    run.onEvent({ event: 'landing', execution, id, done, total }),
  )
  const how = { onProgress, others: executions.slice(1) }
  const landing = await engine.workspace.landGently(execution, joinChain(entriesOf(chain)), contentOf, how)
  if (landing.is === 'landed') {
    run.log.landed(executions)
    return new Map(chain.map(({ result }) => [result.execution.id, result]))
  }
  if (landing.is === 'failed' && landing.isLasting) {
    const failed = takeBack(chain, landing.why, run)
    if (failed !== null) return failed
  }
  const error = doubtError(landing)
  // The next command retries a failure; a drifted file needs a person's decision.
  if (landing.is === 'drifted')
    run.log.append({ entries: inDoubt(executions, error.details), reliance: 'durable' })
  return failAll(chain, error)
}

/** Rolls calls back; null if that cannot be recorded now, so that it is left to the next command. */
function takeBack(chain: readonly Answer[], why: string, run: Run): ReadonlyMap<string, ToolResult> | null {
  const { workspace, newId, digest } = run.engine
  let done: RolledBack | null
  try {
    const deps = { log: run.log, workspace, newId, digest }
    done = rollBack(entriesOf(chain), { because: 'obstacle', why }, deps)
  } catch {
    // The commit is on record and the roll-back is not: the next command begins where this one began.
    return null
  }
  if (done === null) return null
  return done.landing.is === 'landed' ? done.results : failAll(chain, unfinishedError(why, done.landing))
}

function entriesOf(chain: readonly Answer[]): readonly SettledEntry[] {
  return chain.map(({ entry }) => entry)
}

function failAll(chain: readonly Answer[], error: ToolError): ReadonlyMap<string, ToolResult> {
  return new Map(
    chain.map(({ result }) => [
      result.execution.id,
      presentFailure(result, { error, phase: 'running' }, result.execution),
    ]),
  )
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
  if (landing.is === 'drifted') return landing.why ?? 'changed outside this call'
  return `could not be put in place: ${landing.why.replace(/\.$/, '')}`
}
