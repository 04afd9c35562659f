import { toolError } from '../../core/error.ts'
import type { ToolResult } from '../../core/result.ts'
import { bytesOf } from '../../journal/entries/content.ts'
import type { Landing } from '../../workspace/landing/land.ts'
import type { Run } from '../engine.ts'
import { presentFailure } from '../present.ts'
import type { Answer } from '../record/record.ts'

/** Puts the committed changes of a call in place. If that cannot be finished, the call is reported as in doubt. */
export function land({ result, entry, payloads }: Answer, run: Run): ToolResult {
  const { engine } = run
  if (entry.changes.length === 0) return result
  const contents = new Map(payloads)
  const landing = engine.workspace.land(entry.execution, entry.changes, (digest) => {
    const content = contents.get(digest)
    return content === undefined ? run.log.payload(digest) : bytesOf(content)
  })
  if (landing.is === 'landed') {
    run.log.landed(entry.execution)
    return result
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

/** The error of a change that is committed but not fully in place. */
export function doubtError(landing: Exclude<Landing, { is: 'landed' }>) {
  const files = landing.is === 'drifted' ? [...landing.files] : [landing.file]
  const why =
    landing.is === 'drifted' ? 'changed outside this call' : `could not be put in place: ${landing.why}`
  const message = `The change is committed but not fully in place: ${files.join(', ')} ${why}. Nothing else was changed.`
  return toolError('in_doubt', message, { files, effects: 'unknown' }, [
    landing.is === 'drifted'
      ? 'Run tongs recover, and compare these files with the intended content.'
      : 'Fix the cause; the next tongs command on this root puts the files in place.',
  ])
}
