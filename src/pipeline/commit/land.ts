import { toolError } from '../../core/error.ts'
import type { ToolResult } from '../../core/result.ts'
import { bytesOf } from '../../journal/entries/content.ts'
import type { Landing } from '../../workspace/landing/land.ts'
import type { Run } from '../engine.ts'
import { presentFailure } from '../present.ts'
import type { Answer } from '../record/record.ts'

/** Puts the committed changes of a call in place. What cannot be finished leaves the call in doubt, never half done in silence. */
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
  // What only failed is tried again by the next command; what has drifted is for a person to decide.
  if (landing.is === 'drifted') {
    run.log.append({
      entries: [{ kind: 'note', about: 'in_doubt', execution: entry.execution, data: error.details }],
      reliance: 'durable',
    })
  }
  return presentFailure(result, { error, phase: 'running' }, result.execution)
}

/** Says what is known of changes that are committed and not all in place. */
export function doubtError(landing: Exclude<Landing, { is: 'landed' }>) {
  const files = landing.is === 'drifted' ? [...landing.files] : [landing.file]
  const why =
    landing.is === 'drifted'
      ? 'are neither as before nor as after the call'
      : `could not be put in place: ${landing.why}`
  const message = `The change is committed, but not in place everywhere: ${files.join(', ')} ${why}. Nothing further was touched.`
  return toolError('in_doubt', message, { files, effects: 'unknown' }, [
    landing.is === 'drifted'
      ? 'See tongs recover; compare the named files with what was meant.'
      : 'Put right what stood in the way; the next tongs command on this root puts the files in place.',
  ])
}
