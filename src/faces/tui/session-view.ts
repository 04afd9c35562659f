import type { Settings } from '../../config/keys.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { ConversationSource } from '../../runtime/runtime.ts'
import { tasksOf } from '../../runtime/sessions/read-tasks.ts'
import type { ShownTask } from '../../runtime/sessions/read-tasks.ts'
import { foldEntry } from './view/fold-entry.ts'
import { addNotice, foldLive, markInterrupted } from './view/fold-live.ts'
import type { NowEvent } from './view/fold-live.ts'
import { clearView, EMPTY_VIEW, limitBlocks } from './view/view.ts'
import type { Tone, View } from './view/view.ts'

/** The view of one session, kept up to date from its log and live events. */
export interface SessionView {
  readonly now: () => View
  /** The tasks of the session, from the log. */
  readonly tasks: () => readonly ShownTask[]
  /** Reads new log entries into the view. */
  readonly catchUp: () => void
  readonly onEvent: (event: NowEvent) => void
  readonly say: (tone: Tone, text: string) => void
  /** Clears the view; the log keeps everything. */
  readonly clear: () => void
  /** Marks calls that another process left without a result. */
  readonly markInterrupted: (executions: readonly string[]) => void
}

/** Events that come often and tell nothing about the log. A result is in the log before its changes are in place. */
const FREQUENT: ReadonlySet<NowEvent['event']> = new Set(['output', 'text', 'landing'])

/** Opens the view of a session; `onChange` is called whenever it may have changed. */
export function openSessionView(
  { log, contentOf }: Pick<ConversationSource, 'log' | 'contentOf'>,
  session: string,
  settings: Settings,
  onChange: () => void,
): SessionView {
  const most = settings['ui.history_entries']
  const outputLines = settings['ui.output_lines']
  let view = EMPTY_VIEW
  let seq = firstEntry(log, most) - 1
  let tasks: { readonly seq: number; readonly list: readonly ShownTask[] } | null = null

  const become = (next: View): void => {
    view = next
    onChange()
  }

  function catchUp(): void {
    let next = view
    for (const stored of log.entries(seq + 1)) {
      next = foldEntry(next, stored, log.payload, contentOf)
      seq = stored.seq
    }
    become(limitBlocks(next, most))
  }

  catchUp()
  return {
    now: () => view,
    tasks() {
      if (tasks?.seq !== seq) tasks = { seq, list: tasksOf(log, session) }
      return tasks.list
    },
    catchUp,
    onEvent(event) {
      // Output events come by the thousand and are not in the log.
      if (!FREQUENT.has(event.event)) catchUp()
      become(foldLive(view, event, Date.now(), outputLines))
    },
    say: (tone, text) => become(addNotice(view, tone, text)),
    clear: () => become(clearView(view)),
    markInterrupted: (executions) => become(markInterrupted(view, new Set(executions))),
  }
}

/** The first entry to read, so that at most this many are shown. */
function firstEntry(log: SessionLog, most: number): number {
  const [newest] = log.newestFirst()
  return Math.max(1, (newest?.seq ?? 0) - most + 1)
}
