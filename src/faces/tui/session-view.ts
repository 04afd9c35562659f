import type { Settings } from '../../config/keys.ts'
import type { SessionLog } from '../../journal/log.ts'
import { tasksOf } from '../../runtime/sessions/read-tasks.ts'
import type { ShownTask } from '../../runtime/sessions/read-tasks.ts'
import { foldEntry } from './view/fold-entry.ts'
import { addNotice, foldLive, markInterrupted } from './view/fold-live.ts'
import type { NowEvent } from './view/fold-live.ts'
import { clearView, EMPTY_VIEW, limitBlocks } from './view/view.ts'
import type { Tone, View } from './view/view.ts'

/** The view of one session, kept up with its log and with what happens right now. */
export interface SessionView {
  readonly now: () => View
  /** What is to be done in the session, as the log has it. */
  readonly tasks: () => readonly ShownTask[]
  /** Takes in what the log has got meanwhile. */
  readonly catchUp: () => void
  readonly onEvent: (event: NowEvent) => void
  readonly say: (tone: Tone, text: string) => void
  /** Forgets what the screen shows; the log keeps it. */
  readonly clear: () => void
  /** Marks calls that another process left without a result. */
  readonly markInterrupted: (executions: readonly string[]) => void
}

/** Opens the view of a session; `onChange` is told whenever it may look different. */
export function openSessionView(
  log: SessionLog,
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
      next = foldEntry(next, stored, log.payload)
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
      // Output comes by the thousand and is not in the log.
      if (event.event !== 'output' && event.event !== 'text') catchUp()
      become(foldLive(view, event, Date.now(), outputLines))
    },
    say: (tone, text) => become(addNotice(view, tone, text)),
    clear: () => become(clearView(view)),
    markInterrupted: (executions) => become(markInterrupted(view, new Set(executions))),
  }
}

/** Where to begin reading, so that at most so many entries are shown. */
function firstEntry(log: SessionLog, most: number): number {
  const [newest] = log.newestFirst()
  return Math.max(1, (newest?.seq ?? 0) - most + 1)
}
