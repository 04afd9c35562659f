import type { AppState } from './app-state.ts'
import { toggleCall } from './app-state.ts'
import type { Canvas } from './draw/canvas.ts'
import { drawPane, drawPaneTitle, drawTasks } from './draw/draw-panels.ts'
import { drawStart } from './draw/draw-start.ts'
import type { StartFacts } from './draw/draw-start.ts'
import { drawStatus } from './draw/draw-status.ts'
import { createTranscriptDrawer, drawQueuedWords } from './draw/draw-transcript.ts'
import type { DrawnTranscript } from './draw/draw-transcript.ts'
import type { DisplayOptions } from './manner.ts'
import type { ScreenParts } from './screen.ts'
import type { SheetStack } from './sheets/sheet.ts'
import { startFacts } from './start-facts.ts'
import { findPrinting } from './view/view.ts'

/** The parts, and where in the conversation a call stands. */
export interface AppParts extends ScreenParts {
  readonly rowOf: (key: string) => number | null
}

/** The parts of the screen, each read off the state of the app. */
export function createParts(
  state: AppState,
  sheets: SheetStack,
  { paint, isAscii, isStill }: Pick<DisplayOptions, 'paint' | 'isAscii' | 'isStill'>,
  version: string,
): AppParts {
  const drawTranscript = createTranscriptDrawer()
  let drawn: DrawnTranscript = { rows: [], headers: new Map() }
  let startRows = 0
  const canvasOf = (columns: number): Canvas => ({ columns, paint, isAscii, isStill, now: Date.now() })
  const outputLines = (): number => state.desk.runtime.configuration.settings['ui.output_lines']

  const facts = (): StartFacts => startFacts(state.desk, state.sandbox, version)

  return {
    transcript(columns) {
      const canvas = canvasOf(columns)
      const start = drawStart(facts(), canvas)
      startRows = start.length
      drawn = drawTranscript(state.desk.view(), state.looks, canvas)
      return [...start, ...drawn.rows, ...drawQueuedWords(state.desk.conversation?.unheard() ?? [], canvas)]
    },
    onClick(row) {
      const key = drawn.headers.get(row - startRows)
      if (key === undefined) return
      state.looks = { ...state.looks, selected: key }
      toggleCall(state, key)
    },
    rowOf: (key) => {
      const found = [...drawn.headers].find(([, header]) => header === key)
      return found === undefined ? null : found[0] + startRows
    },
    tasks: (columns) => (state.isShowingTasks ? drawTasks(state.desk.tasks(), canvasOf(columns)) : []),
    paneTitle(columns, isFollowing) {
      const call = findPrinting(state.desk.view())
      return call === null ? [] : [drawPaneTitle(call, canvasOf(columns), outputLines(), isFollowing)]
    },
    pane(columns) {
      const call = findPrinting(state.desk.view())
      return call === null ? [] : drawPane(call, canvasOf(columns), outputLines())
    },
    sheet: (columns, height) => sheets.top()?.draw(canvasOf(columns), height, sheets.isListening()) ?? [],
    hasSheet: () => sheets.top() !== null,
    status(columns) {
      const { desk, hint } = state
      const doing = desk.isStopping() || state.isQuitting ? 'stopping' : desk.isBusy() ? 'busy' : 'idle'
      const { tokens } = desk.view()
      return [drawStatus({ ...facts(), tokens, doing, hint }, canvasOf(columns))]
    },
    isMoving: () => !isStill && state.desk.isBusy(),
  }
}
