import { toolError, ToolFailure } from '../../core/error.ts'
import type { ToolResult } from '../../core/result.ts'
import type { SettledEntry } from '../../journal/entries/entry.ts'
import type { Append } from '../../journal/log.ts'
import type { Landing } from '../../workspace/landing/land.ts'
import { bytesOf } from '../../journal/entries/content.ts'
import { mayBeRecorded } from '../../journal/explain-fault.ts'
import type { Run } from '../engine.ts'
import { presentFailure } from '../present.ts'
import { requireUnchanged } from '../memory/stored-values.ts'
import type { Answer, Ending } from '../record/record.ts'

/**
 * Makes the answers of calls that have run, and records them. A call that changes files has run alone; what the
 * workspace refuses at the last moment is answered as refused, and nothing of it stays.
 */
export function commit(
  endings: readonly Ending[],
  makeAnswers: MakeAnswers,
  run: Run,
): readonly Answer[] | Promise<readonly Answer[]> {
  const { engine } = run
  const answers = makeAnswers(endings)
  const changing = answers.find(({ entry }) => entry.changes.length > 0 || entry.stored !== undefined)
  if (changing !== undefined) return commitChange(changing.entry, answers, endings, makeAnswers, run)
  for (const { call } of answers) engine.workspace.drop(call.execution)
  const recording = record(answers, run)
  return recording === undefined ? answers : recording.then(() => answers)
}

type MakeAnswers = (endings: readonly Ending[]) => readonly Answer[]

async function commitChange(
  { execution, changes }: SettledEntry,
  answers: readonly Answer[],
  endings: readonly Ending[],
  makeAnswers: MakeAnswers,
  run: Run,
): Promise<readonly Answer[]> {
  const { engine } = run
  try {
    engine.workspace.writeBackups(execution)
    await record(answers, run, (elsewhere) => {
      for (const { end } of endings)
        if (end.ok && end.restsOn !== undefined) requireUnchanged(end.restsOn, run.log)
      if (changes.length > 0) engine.workspace.confirm(execution, elsewhere)
    })
    return answers
  } catch (thrown) {
    // What may be in the journal is put in place by whoever comes next, and its answer names the backup.
    if (!mayBeRecorded(thrown)) engine.workspace.drop(execution)
    if (!(thrown instanceof ToolFailure)) throw thrown
    const { error } = thrown
    const refused = makeAnswers(
      endings.map((ending) => ({
        ...ending,
        end: { ok: false, error, seen: ending.end.seen, phase: 'running' },
      })),
    )
    await record(refused, run)
    return refused
  }
}

/** The commit point: results, contents and ledger become true together, or not at all. */
function record(
  answers: readonly Answer[],
  run: Run,
  confirm?: Append['confirm'],
): Promise<void> | undefined {
  const [only] = answers
  const append: Append =
    only !== undefined && answers.length === 1
      ? { entries: [only.entry], payloads: only.payloads, seen: only.seen, reliance: 'durable' }
      : {
          entries: answers.map(({ entry }) => entry),
          payloads: answers.flatMap(({ payloads }) => payloads),
          seen: answers.flatMap(({ seen }) => seen),
          reliance: 'durable',
        }
  return run.log.appendTogether(confirm === undefined ? append : { ...append, confirm })
}

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
  return presentFailure(result, error, 'running', result.execution)
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
