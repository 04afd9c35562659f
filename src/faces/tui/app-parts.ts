import type { Conversation } from '../../agent/conversation.ts'
import { memoizeLast } from '../../core/memoize.ts'
import type { AppState } from './app-state.ts'
import { openFurther } from './app-state.ts'
import { spellDots } from './draw/ascii.ts'
import type { Canvas } from './draw/canvas.ts'
import { drawPane, drawPaneTitle, drawTasks } from './draw/draw-panels.ts'
import { drawStart, drawSwitch } from './draw/draw-start.ts'
import type { StartFacts } from './draw/draw-start.ts'
import { drawStatus } from './draw/draw-status.ts'
import { createSettledDrawer } from './draw/draw-settled.ts'
import { createBlockDrawer, drawTranscript, drawWaitingWords } from './draw/draw-transcript.ts'
import type { DrawnTranscript } from './draw/draw-transcript.ts'
import type { DisplayOptions } from './display-options.ts'
import type { ScreenParts } from './screen/screen-parts.ts'
import type { SheetStack } from './sheets/sheet.ts'
import { startFacts } from './start-facts.ts'
import { hiddenLines } from './view/output-tail.ts'
import { callsOf, findPrinting } from './view/view.ts'
import type { View } from './view/view.ts'

const NO_CALLS: ReadonlySet<string> = new Set()
const STEERING = 'The model gets this as soon as the running call ends.'
const QUEUED = 'This runs when the current work has ended; Esc drops it.'

/** The parts, and the row of each call in the conversation. */
export interface AppParts extends ScreenParts {
  readonly rowOf: (key: string) => number | null
}

/** How full the context window is, in percent. Measuring is work, so it is done when the conversation has changed. */
function createContextShare() {
  const measure = memoizeLast((conversation: Conversation, _state: string): number | null => {
    const { context_tokens: most, used_tokens: used } = conversation.context()
    return most === null ? null : Math.min(100, Math.round((used / most) * 100))
  })
  return (conversation: Conversation | null, { tokens, blocks }: View): number | null => {
    if (conversation === null) return null
    return measure(conversation, `${conversation.model().id} ${tokens} ${blocks.length}`)
  }
}

/** The parts of the screen, each drawn from the state of the app. */
export function createParts(
  state: AppState,
  sheets: SheetStack,
  { paint, isAscii, isStill }: Pick<DisplayOptions, 'paint' | 'isAscii' | 'isStill'>,
  version: string,
): AppParts {
  const blocks = createBlockDrawer()
  const settle = createSettledDrawer(blocks)
  let drawn: DrawnTranscript = { rows: [], headers: new Map() }
  const contextShare = createContextShare()
  let startRows = 0
  /** The session that the app was opened with. */
  let begunWith: string | null = null
  const canvasOf = (columns: number): Canvas => ({ columns, paint, isAscii, isStill, now: Date.now() })
  const fit = (columns: number, rows: readonly string[]): readonly string[] =>
    isAscii ? rows.map((row) => spellDots(row, columns)) : rows
  const outputLines = (): number => state.session.runtime.configuration.settings['ui.output_lines']

  const waitingWords = (canvas: Canvas): readonly string[] => [
    ...drawWaitingWords(state.session.conversation?.unheard() ?? [], STEERING, canvas),
    ...drawWaitingWords(state.queue, QUEUED, canvas),
  ]
  const facts = (): StartFacts => startFacts(state.session, state.sandbox, version)

  return {
    transcript(columns) {
      const canvas = canvasOf(columns)
      const { known, open } = drawStart(facts(), canvas)
      const start = [...known, ...open]
      startRows = start.length
      drawn = drawTranscript(blocks, state.session.view(), state.expanded, canvas)
      return fit(columns, [...start, ...drawn.rows, ...waitingWords(canvas)])
    },
    unprinted(columns, isLast) {
      const { session, sandbox } = state
      const canvas = canvasOf(columns)
      const { session: name } = session.request
      begunWith ??= name
      const opening = begunWith === name ? drawStart(facts(), canvas) : drawSwitch(facts(), canvas)
      const start = { ...opening, isSettled: sandbox !== null || isLast }
      const isIdle = isLast || !session.isBusy()
      const view = session.view()
      const asked = sheets.top()?.calls ?? NO_CALLS
      const rows = settle({ view, session: name, start, isIdle, asked }, canvas)
      const live = fit(columns, [...rows.live, ...waitingWords(canvas)])
      return { settled: fit(columns, rows.settled), live }
    },
    onClick(row) {
      const key = drawn.headers.get(row - startRows)
      const call = callsOf(state.session.view()).find((one) => one.key === key)
      if (call === undefined) return
      state.expanded = { ...state.expanded, selected: call.key }
      openFurther(state, call)
    },
    rowOf: (key) => {
      const found = [...drawn.headers].find(([, header]) => header === key)
      return found === undefined ? null : found[0] + startRows
    },
    tasks: (columns) =>
      state.isShowingTasks ? fit(columns, drawTasks(state.session.tasks(), canvasOf(columns))) : [],
    paneTitle(columns, isFollowing) {
      const call = findPrinting(state.session.view())
      if (call === null) return []
      return fit(columns, [drawPaneTitle(call, canvasOf(columns), outputLines(), isFollowing)])
    },
    pane(columns, seen) {
      const call = findPrinting(state.session.view())
      return call === null ? [] : fit(columns, drawPane(call, canvasOf(columns), outputLines(), seen))
    },
    paneDropped() {
      const call = findPrinting(state.session.view())
      return call === null ? 0 : hiddenLines(call.tail, outputLines())
    },
    sheet: (columns, height) =>
      fit(columns, sheets.top()?.draw(canvasOf(columns), height, sheets.acceptsKeys()) ?? []),
    hasSheet: () => sheets.top() !== null,
    status(columns, isLookingBack) {
      const { session, hint } = state
      const doing = session.isStopping() || state.isQuitting ? 'stopping' : session.isBusy() ? 'busy' : 'idle'
      const { tokens, cost } = session.view()
      const now = callsOf(session.view()).findLast(({ progress }) => progress === 'running')
      const running = session.runtime.background().filter(({ state: progress }) => progress === 'running')
      const background = running.length
      const contextPercent = contextShare(session.conversation, session.view())
      const counts = { tokens, cost, contextPercent, background }
      const shown = { ...facts(), ...counts, doing, running: now?.name ?? null, hint, isLookingBack } as const
      return fit(columns, [drawStatus(shown, canvasOf(columns))])
    },
    isMoving: () => !isStill && state.session.isBusy(),
  }
}
