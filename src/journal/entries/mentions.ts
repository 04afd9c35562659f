import { isJsonObject, parseJson } from '../../core/json/value.ts'
import { BACKGROUND } from './background-note.ts'
import { ENVIRONMENT, FOLDER_NOTES } from './conversation-entry.ts'
import { DELEGATION } from './delegated-entry.ts'
import type { Digest, Entry, FileChange, FileState, NoteEntry, RevertedEntry } from './entry.ts'

/** The executions an entry is about; its own comes first. */
export function executionsOf(entry: Entry): readonly string[] {
  switch (entry.kind) {
    case 'batch':
    case 'recovered':
      return entry.calls.map(({ execution }) => execution)
    case 'asked':
      return (entry.judged ?? entry.questions).map(({ execution }) => execution)
    case 'started':
    case 'landing':
    case 'settled':
      return [entry.execution]
    case 'undo':
    case 'redo':
      return [
        ...new Set([
          entry.execution,
          ...entry.calls,
          ...(entry.rollsBack === undefined ? [] : [entry.rollsBack.execution]),
        ]),
      ]
    case 'forgotten':
    case 'held':
    case 'parked':
      return entry.executions
    case 'delegated':
      return [entry.execution]
    case 'note':
      return entry.execution === null ? [] : [entry.execution]
    case 'answered':
    case 'continued':
    case 'said':
    case 'drafted':
    case 'voided':
    case 'streamed':
    case 'condensed':
    case 'opened':
    case 'titled':
      return []
  }
}

/** A payload that an entry refers to, and the execution it belongs to. */
export interface Mention {
  readonly execution: string
  readonly digest: Digest
}

/** The payloads needed to understand an entry or undo it. */
export function payloadsOf(entry: Entry): readonly Mention[] {
  switch (entry.kind) {
    case 'batch':
      return entry.calls.map(({ execution, args }) => ({ execution, digest: args }))
    case 'settled':
      return [
        { execution: entry.execution, digest: entry.result },
        ...contentsOf(entry.execution, entry.changes),
        ...[...Object.values(entry.stored ?? {}), ...(entry.attached ?? [])].map((digest) => ({
          execution: entry.execution,
          digest,
        })),
      ]
    case 'landing':
      // Attributes are part of the rest until they land.
      return [
        { execution: entry.execution, digest: entry.rest },
        ...contentsOf(entry.execution, entry.changes.map(withoutAttributes)),
      ]
    case 'asked':
      return entry.questions.flatMap(({ execution, diff, offer = null }) =>
        [diff, offer].flatMap((digest) => (digest === null ? [] : [{ execution, digest }])),
      )
    case 'said':
      return [
        entry.message,
        ...(entry.results === undefined ? [] : [entry.results]),
        ...(entry.attached ?? []).map(({ sha256 }) => sha256),
      ].map((digest) => ({ execution: entry.turn, digest }))
    case 'titled':
      return [{ execution: '', digest: entry.title }]
    case 'drafted':
      return [{ execution: entry.turn, digest: entry.part }]
    case 'streamed':
      return [entry.args, ...(entry.metadata === undefined ? [] : [entry.metadata])].map((digest) => ({
        execution: entry.turn,
        digest,
      }))
    case 'condensed':
      return entry.summary === null ? [] : [{ execution: '', digest: entry.summary }]
    case 'delegated':
      return payloadsOf(entry.entry).map(({ digest }) => ({ execution: entry.execution, digest }))
    case 'note':
      return textOfNote(entry)
    case 'undo':
    case 'redo':
      return [...contentsOf(entry.execution, entry.changes), ...newResultOf(entry)]
    default:
      return []
  }
}

const NOTES_WITH_TEXT: ReadonlySet<string> = new Set([ENVIRONMENT, FOLDER_NOTES, DELEGATION, BACKGROUND])

/**
 * The text that a conversation began with or was told: its environment, notes of a folder, or the instructions of a role; and
 * the words of a command in the background.
 */
function textOfNote({ about, execution, data }: NoteEntry): readonly Mention[] {
  const digest = NOTES_WITH_TEXT.has(about) && isJsonObject(data) ? data['text'] : undefined
  return typeof digest === 'string' ? [{ execution: execution ?? '', digest }] : []
}

/** Every digest of an entry that may be stored, including those kept only for comparison. */
export function digestsOf(entry: Entry): readonly Mention[] {
  const named = payloadsOf(entry)
  if (entry.kind !== 'settled' || entry.output === null) return named
  return [...named, { execution: entry.execution, digest: entry.output }]
}

/** An entry's file changes; most entries have none. */
export function changesOf(entry: Entry): readonly FileChange[] {
  return entry.kind === 'settled' || entry.kind === 'undo' || entry.kind === 'redo' ? entry.changes : []
}

/** The file changes of a stored entry; null if it cannot be read. */
export function readChanges(body: unknown): readonly FileChange[] | null {
  const parsed = parseJson(String(body))
  return isJsonObject(parsed) ? changesOf(parsed as unknown as Entry) : null
}

/** The result that a rolled-back call has now. */
function newResultOf({ rollsBack }: RevertedEntry): readonly Mention[] {
  const digest = rollsBack?.result ?? null
  return rollsBack === undefined || digest === null ? [] : [{ execution: rollsBack.execution, digest }]
}

function stripped({ attributes: _attributes, ...state }: FileState): FileState {
  return state
}

function withoutAttributes(change: FileChange): FileChange {
  const { before, after } = change
  return {
    ...change,
    before: before === null ? null : stripped(before),
    after: after === null ? null : stripped(after),
  }
}

function contentsOf(execution: string, changes: readonly FileChange[]): readonly Mention[] {
  return changes.flatMap(({ before, after }) =>
    [before, after].flatMap((state) =>
      state === null
        ? []
        : [
            ...(isInJournal(state) ? [state.digest] : []),
            ...(state.attributes === undefined ? [] : [state.attributes]),
          ].map((digest) => ({ execution, digest })),
    ),
  )
}

/** What a layer holds is in the journal only if it was copied, and a folder has no content. */
function isInJournal({ held, isCopied, kind }: FileState): boolean {
  return kind !== 'folder' && (held === undefined || isCopied === true)
}
