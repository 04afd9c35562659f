import { isJsonObject } from '../../../core/json/value.ts'
import { describeCompaction } from '../../../journal/entries/conversation-entry.ts'
import { readBackgroundNote } from '../../../journal/entries/background-note.ts'
import type { BackgroundNote } from '../../../journal/entries/background-note.ts'
import { describeBackgroundEnd } from '../../../core/shell/background.ts'
import { describeDamage } from '../../../journal/entries/damaged-entry.ts'
import type {
  FileChange,
  NoteEntry,
  RevertedEntry,
  RollBackRecord,
  StoredEntry,
} from '../../../journal/entries/entry.ts'
import type { LogReader } from '../../../journal/log.ts'
import { nameChanges } from '../../../journal/folds/net-changes.ts'
import { ELSEWHERE, WAITS_ELSEWHERE } from '../../../pipeline/made-elsewhere.ts'
import { summaryOf } from '../../../pipeline/approve/offer.ts'
import type { History } from '../../../runtime/sessions/gone-root.ts'
import type { ParsedLine } from '../arguments.ts'
import { chosenSession } from '../chosen-session.ts'
import { UsageError } from '../errors.ts'
import { openHistory } from '../open.ts'
import { safe, safeWords } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

const utf8 = new TextDecoder()

/** `tongs log`: what happened, oldest first. */
export async function log(line: ParsedLine, terminal: Terminal): Promise<number> {
  const last = line.value('--last')
  if (last !== undefined && !/^[1-9]\d{0,5}$/.test(last))
    throw new UsageError(`--last ${JSON.stringify(last)} is not a positive number`, 'try --last 20')
  if (line.has('--turn') && !line.has('--markdown'))
    throw new UsageError('only log --markdown takes --turn', 'try log --markdown --turn')
  const history = await openHistory(line, terminal)
  try {
    const wanted = {
      ...chosenSession(line, history, terminal),
      ...(last === undefined ? {} : { last: Number(last) }),
    }
    if (line.has('--markdown')) {
      terminal.print(await summarize([...history.log(wanted)], line.has('--turn'), history))
      return 0
    }
    const delegated = new Set<string>()
    for (const stored of history.log(wanted)) {
      if (stored.entry.kind === 'batch' && stored.entry.delegate !== undefined)
        delegated.add(stored.entry.batch)
      if (line.has('--json'))
        terminal.json({
          session: stored.session.name,
          seq: stored.seq,
          at: stored.at,
          hash: stored.hash,
          ...stored.entry,
        })
      else for (const row of describe(stored, history, delegated)) terminal.print(safe(row))
    }
    return 0
  } finally {
    await history.close()
  }
}

/** What was done, for people who read a pull request. */
async function summarize(
  all: readonly StoredEntry[],
  isLastTurn: boolean,
  { peek }: Pick<History, 'peek'>,
): Promise<string> {
  const [{ entriesOfLastTurn, summarizeLog }, { readPrompt, readTitle }, { renderMarkdown }] =
    await Promise.all([
      import('../../../agent/log/summarize-log.ts'),
      import('../../../agent/sessions/title.ts'),
      import('./journal/log-markdown.ts'),
    ])
  const entries = isLastTurn ? entriesOfLastTurn(all) : all
  const summary = summarizeLog(entries)
  const [only, ...others] = summary.sessions
  if (only === undefined || others.length > 0) return renderMarkdown(summary, null)
  const reader = peek(only)
  return renderMarkdown(summary, isLastTurn ? readPrompt(entries, reader) : readTitle(reader))
}

function describe(
  { at, session, entry }: StoredEntry,
  { peek }: Pick<History, 'peek'>,
  delegated: ReadonlySet<string>,
): readonly string[] {
  const time = new Date(at).toISOString().replace('T', ' ').slice(0, 19)
  const start = `${time}  ${session.name}`
  switch (entry.kind) {
    case 'settled': {
      const state = entry.moves.at(-1)?.state ?? 'DECLARED'
      const files = entry.changes.length === 0 ? '' : `, ${namesOf(entry.changes, session.root)}`
      // What a delegated conversation did stands below the call that it belongs to, which ends later.
      const nested = delegated.has(entry.batch) ? '  ↳ ' : ''
      return [
        `${start}  ${state.padEnd(11)} ${nested}${safeWords(entry.name)}${entry.error === null ? '' : ` (${entry.error.code})`}${files}  ${entry.execution}`,
      ]
    }
    case 'undo':
    case 'redo':
      if (entry.rollsBack !== undefined)
        return [`${start}  ${describeRollBack(entry, entry.rollsBack, session.root)}`]
      return [
        `${start}  ${entry.kind.padEnd(11)} ${namesOf(entry.changes, session.root)}  ${entry.execution}`,
      ]
    case 'recovered':
      return [`${start}  recovered   ${entry.choice}, ${entry.calls.length} calls`]
    case 'forgotten':
      return [
        `${start}  forgotten   ${entry.payloads} contents, ${entry.bytes} bytes: ${safeWords(entry.why)}`,
      ]
    case 'note':
      return [`${start}  ${describeNote(entry, peek(session.name).payload)}`]
    case 'landing':
      return [`${start}  to land     ${namesOf(entry.changes, session.root)}  ${entry.execution}`]
    case 'asked':
      return entry.questions.map(
        (question) =>
          `${start}  asked       ${safeWords(summaryOf(question, peek(session.name).payload))}  ${question.approval}`,
      )
    case 'answered':
      return [`${start}  ${entry.isApproved ? 'approved' : 'denied'.padEnd(8)}    ${entry.approval}`]
    case 'held':
      return [`${start}  held        ${entry.executions.length} calls wait for their results`]
    case 'parked':
      return [`${start}  waits       for ${entry.executions.length} delegated conversations`]
    case 'condensed':
      return [
        `${start}  compacted   ${entry.summary === null ? 'older results' : 'older messages'}${describeCompaction(entry)}`,
      ]
    case 'opened':
      return [
        `${start}  opened      by ${entry.by}${entry.preset === null ? '' : `, preset ${entry.preset}`}`,
      ]
    case 'titled':
      return [`${start}  renamed`]
    case 'batch':
    case 'delegated':
    case 'drafted':
    case 'voided':
    case 'started':
    case 'continued':
    case 'said':
    case 'streamed':
      return []
  }
}

/** Names of files come from calls and commands. */
function namesOf(changes: readonly FileChange[], root: string): string {
  return safeWords(nameChanges(changes, root))
}

/** Names the commit that was taken back: its own row says COMPLETED. */
function describeRollBack(
  { changes }: RevertedEntry,
  { execution, because, why }: RollBackRecord,
  root: string,
): string {
  const files = namesOf(changes, root)
  const word = because === 'obstacle' ? 'ROLLED_BACK' : 'discarded'
  return `${word.padEnd(11)} ${files}  ${execution}: ${safeWords(why)}`
}

function describeBackground(note: BackgroundNote, payload: LogReader['payload']): string {
  if (note.is === 'ended') return describeBackgroundEnd(note.end)
  const words = payload(note.words)
  return words === null ? 'started; its words were erased' : `started ${safeWords(utf8.decode(words))}`
}

/** A note in words; for most kinds only its topic. */
function describeNote(note: NoteEntry, payload: LogReader['payload']): string {
  const { about, data } = note
  const damage = describeDamage(note)
  const background = readBackgroundNote(note)
  if (background !== null)
    return `background  ${describeBackground(background, payload)}  ${background.execution}`
  if (damage !== null) return `damaged     ${safeWords(damage)}`
  if (isJsonObject(data) && typeof data['grant'] === 'string' && typeof data['sentence'] === 'string')
    return `${about.padEnd(11)} ${safeWords(data['sentence'])}  ${safeWords(data['grant'])}`
  if (about === 'model' && isJsonObject(data) && typeof data['model'] === 'string')
    return `model       ${safeWords(data['model'])}${typeof data['base_url'] === 'string' ? ` at ${safeWords(data['base_url'])}` : ''}`
  if (about === ELSEWHERE) return `waits       ${WAITS_ELSEWHERE}  ${note.execution ?? ''}`
  if (about === 'put_off') return 'put off     the questions wait for an answer'
  return `note        ${safeWords(about.replaceAll('_', ' '))}`
}
