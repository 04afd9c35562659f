import { showPath } from '../../core/text/display/show-path.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { Entry } from '../../journal/entries/entry.ts'
import { netChanges } from '../../journal/folds/net-changes.ts'
import type { LogReader } from '../../journal/log.ts'
import type { RecoveryChoice } from '../../pipeline/after/recover.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { readJson } from '../context/message-parts.ts'
import type { InterruptedCall, InterruptedEdits } from '../conversation.ts'

type Interrupted = Pick<InterruptedCall, 'execution' | 'name' | 'status'>

/** Sums up the edits among interrupted calls; null if there are fewer than two. */
export function sumUpEdits(
  runtime: Runtime,
  session: string,
  calls: readonly Interrupted[],
): InterruptedEdits | null {
  const editing = new Set(
    runtime.definitions().flatMap(({ name, effect }) => (effect === 'edit' ? [name] : [])),
  )
  const edits = calls.filter(({ name }) => editing.has(name))
  if (edits.length < 2) return null
  const log = runtime.peek(session)
  const parts = [
    describe(edits, log, ['finished'], 'in place'),
    describe(edits, log, ['never_started', 'received'], 'never began'),
    describe(edits, log, ['in_doubt'], 'in doubt'),
    describe(edits, log, ['discarded'], 'taken back'),
  ].filter((part) => part !== '')
  const inPlace = edits.filter(
    ({ status, execution }) => status === 'finished' && filesOf(log, execution, true).length > 0,
  )
  return {
    says: `${edits.length} edits of one message: ${parts.join(', ')}.`,
    inPlace: inPlace.map(({ execution }) => execution).toReversed(),
  }
}

const MOST_NAMED = 5

function describe(
  edits: readonly Interrupted[],
  log: LogReader,
  statuses: readonly InterruptedCall['status'][],
  words: string,
): string {
  const found = edits.filter(({ status }) => statuses.includes(status))
  if (found.length === 0) return ''
  const isInPlace = statuses.includes('finished')
  const files = [...new Set(found.flatMap(({ execution }) => filesOf(log, execution, isInPlace)))]
  const named = files.slice(0, MOST_NAMED).map(showPath).join(', ')
  const more = files.length > MOST_NAMED ? ` and ${files.length - MOST_NAMED} more` : ''
  return `${found.length} ${words}${files.length === 0 ? '' : ` (${named}${more})`}`
}

/** The files that a call changed, or that its arguments name. */
function filesOf(log: LogReader, execution: string, isInPlace: boolean): readonly string[] {
  const entries = log.about(execution).map(({ entry }) => entry)
  if (!isInPlace) return entries.flatMap((entry) => namedIn(entry, execution, log))
  return entries.flatMap((entry) =>
    entry.kind === 'settled' ? netChanges(entry.changes, log.key.root).map(({ path }) => path) : [],
  )
}

function namedIn(entry: Entry, execution: string, log: LogReader): readonly string[] {
  if (entry.kind !== 'batch') return []
  const call = entry.calls.find((one) => one.execution === execution)
  const args = call === undefined ? null : readJson(log.payload(call.args))
  const path = isJsonObject(args) ? args['path'] : null
  return typeof path === 'string' ? [path] : []
}

/**
 * Takes back the edits that are in place if their message was discarded, as the last step of a recovery. Returns why that
 * failed, or null.
 */
export async function takeBackDiscarded(
  runtime: Runtime,
  session: string,
  choice: RecoveryChoice | undefined,
  edits: InterruptedEdits | null,
): Promise<string | null> {
  const calls = choice === 'discard' ? (edits?.inPlace ?? []) : []
  if (calls.length === 0) return null
  const report = await runtime.undo({ session, calls })
  return report.ok ? null : report.message
}
