import type { ConversationEntry } from '../../journal/entries/delegated-entry.ts'
import type { Entry, StoredEntry } from '../../journal/entries/entry.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { ConversationSource } from '../../runtime/runtime.ts'
import { modelNote, readModelNote } from '../../journal/entries/model-note.ts'
import type { ModelAddress } from '../../journal/entries/model-note.ts'
import type { LogOfConversation } from '../log/conversation-log.ts'

const CONVERSATION_KINDS: ReadonlySet<string> = new Set<ConversationEntry['kind']>([
  'said',
  'drafted',
  'voided',
  'streamed',
  'condensed',
])

/**
 * The log of a session as a delegated conversation sees it: what it says is recorded as its own, and it reads nothing
 * else that was said.
 */
export function delegatedLog(log: SessionLog, execution: string): LogOfConversation {
  const first = log.about(execution).find(({ entry }) => entry.kind === 'batch')?.seq ?? 1
  return {
    payload: log.payload,
    append: (what) => log.append({ ...what, entries: what.entries.map((entry) => mark(entry, execution)) }),
    *entries(fromSeq = 1) {
      for (const stored of log.entries(Math.max(fromSeq, first))) {
        const seen = look(stored, execution)
        if (seen !== null) yield seen
      }
    },
  }
}

/** How a delegated conversation keeps its model; that of the session stays as it is. */
export function modelIn(own: LogOfConversation): Pick<ConversationSource, 'lastModel' | 'noteModel'> {
  const lastModel = (): ModelAddress | null =>
    [...own.entries()].map(({ entry }) => readModelNote(entry)).findLast((one) => one !== null)?.is ?? null
  return {
    lastModel,
    noteModel: (address) => {
      const last = lastModel()
      if (last?.model === address.model && last.baseUrl === address.baseUrl) return
      own.append({ entries: [modelNote(address)], reliance: 'recorded' })
    },
  }
}

function isConversationEntry(entry: Entry): entry is ConversationEntry {
  return CONVERSATION_KINDS.has(entry.kind)
}

function mark(entry: Entry, execution: string): Entry {
  if (isConversationEntry(entry)) return { kind: 'delegated', execution, entry }
  return entry.kind === 'note' ? { ...entry, execution } : entry
}

/** An entry as the conversation sees it; null if it belongs to another. */
function look(stored: StoredEntry, execution: string): StoredEntry | null {
  const { entry } = stored
  if (entry.kind === 'delegated')
    return entry.execution === execution ? { ...stored, entry: entry.entry } : null
  if (isConversationEntry(entry)) return null
  if (entry.kind === 'note')
    return entry.execution === execution ? { ...stored, entry: { ...entry, execution: null } } : null
  if (entry.kind !== 'batch') return stored
  const { delegate, ...batch } = entry
  // What its own delegated conversations did counts as its calls; what the runtime ran ahead belongs to its batches.
  if (delegate === execution) return { ...stored, entry: batch }
  return delegate === undefined ? null : stored
}
