import {
  isKeyRelease,
  KeybindingsManager,
  parseKey,
  ScrollView,
  setKeybindings,
  TUI_KEYBINDINGS,
  TuiAltScreen,
  VStack,
} from '@earendil-works/pi-tui'
import type { Component, Editor, TuiMouseEvent } from '@earendil-works/pi-tui'
import { FRAME_MS } from './draw/canvas.ts'
import type { Paint } from '../../terminal/paint.ts'
import type { DisplayOptions } from './display-options.ts'
import { AppTerminal, SafeEditor } from './input/filtered-output.ts'
import { readPressed } from './input/read-pressed.ts'
import type { Pressed } from './input/read-pressed.ts'

/** The parts of the screen; each gives its rows for a width. */
export interface ScreenParts {
  readonly transcript: (columns: number) => readonly string[]
  readonly onClick: (row: number) => void
  readonly tasks: (columns: number) => readonly string[]
  readonly paneTitle: (columns: number, isFollowing: boolean) => readonly string[]
  readonly pane: (columns: number) => readonly string[]
  /** How many lines of the pane's output are no longer in it. */
  readonly paneDropped: () => number
  /** Empty if no sheet is open. */
  readonly sheet: (columns: number, height: number) => readonly string[]
  readonly hasSheet: () => boolean
  readonly status: (columns: number) => readonly string[]
  /** Whether something is animated. */
  readonly isMoving: () => boolean
}

/** The screen of the app. */
export interface Screen {
  readonly editor: Editor
  /** Shows it; `onKey` sees each key first and returns true to consume it. */
  readonly start: (onKey: (pressed: Pressed) => boolean) => void
  readonly stop: () => Promise<void>
  readonly redraw: () => void
  /** Writes a sequence that shows nothing, such as the bell. */
  readonly emit: (sequence: string) => void
  /** Releases the terminal while another program uses it. */
  readonly suspend: (meanwhile: () => void) => void
  /** Scrolls a row of the conversation into view. */
  readonly reveal: (row: number) => void
  readonly scroll: (pages: number) => void
  readonly scrollPane: (rows: number) => void
  readonly follow: () => void
}

/** The shortest time between redraws, because live events come by the thousand. */
const DRAW_MS = 50
const PANE_ROWS = 12
/** A sheet leaves part of the conversation visible, unless the screen is low. */
const SHEET_SHARE = 0.75
const LOW_ROWS = 22

// The app handles the viewport keys itself, because sheets come first.
setKeybindings(
  new KeybindingsManager(TUI_KEYBINDINGS, {
    'tui.altScreen.pageUp': [],
    'tui.altScreen.pageDown': [],
    'tui.altScreen.top': [],
    'tui.altScreen.bottom': [],
    'tui.altScreen.previousPrompt': [],
    'tui.altScreen.nextPrompt': [],
    'tui.input.newLine': ['shift+enter', 'alt+enter', 'ctrl+j'],
  }),
)

/** Creates the screen from its parts. */
export function createScreen(
  parts: ScreenParts,
  { paint, isAscii, hasMouse }: Pick<DisplayOptions, 'paint' | 'isAscii' | 'hasMouse'>,
): Screen {
  const terminal = new AppTerminal(isAscii)
  const tui = new TuiAltScreen(terminal, false, undefined, {
    mouse: hasMouse,
    scrollToEndIndicator: () => paint('inverse', ' more below: Ctrl-End '),
  })
  const editor = createEditor(tui, paint)
  const transcript = partOf(parts.transcript, (event) => {
    if (event.type !== 'click' || event.button !== 'left') return false
    parts.onClick(event.y)
    return true
  })
  const conversation = new ScrollView(transcript, { follow: 'end', primary: true })
  const pane = new ScrollView(partOf(parts.pane), { follow: 'end' })
  const paneTitle = partOf((columns) => parts.paneTitle(columns, pane.isFollowingEnd))
  const sheet = partOf((columns) => parts.sheet(columns, sheetRows(terminal.rows)))
  const root = new VStack([
    { component: conversation, basis: 0, grow: 1, shrink: 1, minSize: 0 },
    { component: partOf(parts.tasks), shrink: 0 },
    { component: paneTitle, shrink: 0 },
    { component: pane, shrink: 1, maxSize: PANE_ROWS },
    { component: sheet, shrink: 0 },
    { component: editor, shrink: 0, visible: () => !parts.hasSheet() },
    { component: partOf(parts.status), shrink: 0 },
  ])
  tui.setLayoutRoot(root)
  tui.setFocus(editor)
  let dropped = 0
  /** Keeps the lines that someone scrolled to in view, although lines before them go. */
  function holdPane(): void {
    const now = parts.paneDropped()
    if (!pane.isFollowingEnd && now > dropped) pane.scrollBy(dropped - now)
    dropped = now
  }
  const draw = (): void => {
    holdPane()
    tui.requestRender()
  }
  const drawing = createDrawing(parts, draw)

  return {
    editor,
    start(onKey) {
      tui.addInputListener((data) => {
        if (isKeyRelease(data)) return { consume: true }
        const isTaken = onKey(readPressed(data, parseKey(data)))
        if (isTaken) draw()
        return isTaken ? { consume: true } : undefined
      })
      tui.start()
    },
    async stop() {
      drawing.stop()
      await terminal.drainInput(200, 20)
      tui.stop({ preserveScreen: true })
    },
    redraw: drawing.redraw,
    emit: (sequence) => terminal.write(sequence),
    suspend(meanwhile) {
      tui.stop({ preserveScreen: true })
      try {
        meanwhile()
      } finally {
        tui.start()
        tui.requestRender(true)
      }
    },
    reveal(row) {
      const { scrollTop, viewportHeight } = conversation
      if (row < scrollTop || row >= scrollTop + viewportHeight - 2)
        conversation.scrollTo(Math.max(0, row - 2))
    },
    scroll: (pages) => tui.scrollBy(pages * Math.max(1, conversation.viewportHeight - 2)),
    scrollPane: (rows) => void pane.scrollBy(rows),
    follow: () => tui.scrollToBottom(),
  }
}

function createEditor(tui: TuiAltScreen, paint: Paint): SafeEditor {
  return new SafeEditor(
    tui,
    {
      borderColor: (text) => paint('dim', text),
      selectList: {
        selectedPrefix: (text) => paint('cyan', text),
        selectedText: (text) => paint('inverse', text),
        description: (text) => paint('dim', text),
        scrollInfo: (text) => paint('dim', text),
        noMatch: (text) => paint('dim', text),
      },
    },
    { paddingX: 1, autocompleteMaxVisible: 8 },
  )
}

/** Redraws soon after a change, and repeatedly while something is animated. */
function createDrawing({ isMoving }: Pick<ScreenParts, 'isMoving'>, draw: () => void) {
  let timer: NodeJS.Timeout | undefined
  let motion: NodeJS.Timeout | undefined
  let drawnAt = 0

  function redraw(): void {
    if (isMoving()) motion ??= setInterval(onFrame, FRAME_MS)
    if (timer !== undefined) return
    const wait = Math.max(0, DRAW_MS - (performance.now() - drawnAt))
    timer = setTimeout(() => {
      timer = undefined
      drawnAt = performance.now()
      draw()
    }, wait)
  }

  function onFrame(): void {
    if (!isMoving()) {
      clearInterval(motion)
      motion = undefined
    }
    redraw()
  }

  return {
    redraw,
    stop() {
      clearTimeout(timer)
      clearInterval(motion)
    },
  }
}

function sheetRows(rows: number): number {
  return Math.max(Math.floor(rows * SHEET_SHARE), Math.min(rows - 1, LOW_ROWS))
}

function partOf(
  rows: (columns: number) => readonly string[],
  onMouse?: (event: TuiMouseEvent) => boolean,
): Component {
  return {
    render: (columns) => [...rows(columns)],
    invalidate: () => undefined,
    ...(onMouse === undefined
      ? {}
      : { handleMouse: (event: TuiMouseEvent) => ({ handled: onMouse(event) }) }),
  }
}
