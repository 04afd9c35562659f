import {
  isKeyRelease,
  KeybindingsManager,
  parseKey,
  setKeybindings,
  TUI_KEYBINDINGS,
} from '@earendil-works/pi-tui'
import type { Editor, TUI } from '@earendil-works/pi-tui'
import type { Paint } from '../../terminal/paint.ts'
import type { DisplayOptions } from './display-options.ts'
import { AppTerminal, SafeEditor } from './input/filtered-output.ts'
import { readPressed } from './input/read-pressed.ts'
import type { Pressed } from './input/read-pressed.ts'
import { createDrawing } from './screen/drawing.ts'
import { createFullView } from './screen/full-view.ts'
import { InlineTui } from './screen/inline-tui.ts'
import type { DrawFrame } from './screen/inline-tui.ts'
import { PANE_ROWS, sheetRows } from './screen/screen-parts.ts'
import type { ScreenParts } from './screen/screen-parts.ts'

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
  /** Shows the conversation where it can be scrolled and its calls opened. */
  readonly lookBack: () => void
  /** Whether Esc leads back from there. */
  readonly isLookingBack: () => boolean
  /** Scrolls a row of the conversation into view. */
  readonly reveal: (row: number) => void
  readonly scroll: (pages: number) => void
  readonly scrollPane: (rows: number) => void
  /** Goes to the end of the conversation. */
  readonly follow: () => void
  /** Clears what the terminal shows. */
  readonly wipe: () => void
}

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

/** Creates the screen from its parts. Inline, it changes to the full view only to look back. */
export function createScreen(
  parts: ScreenParts,
  display: Pick<DisplayOptions, 'paint' | 'isAscii' | 'hasMouse' | 'isInline'>,
): Screen {
  const { isInline, paint } = display
  const terminal = new AppTerminal(display.isAscii)
  const inline = new InlineTui(
    terminal,
    createFrames(parts, () => editor),
  )
  const full = createFullView(parts, terminal, display)
  const editor: SafeEditor = createEditor(isInline ? inline : full.tui, paint)
  inline.setFocus(editor)
  full.show(editor)
  let isFull = !isInline
  const draw = (): void => (isFull ? full.draw() : inline.requestRender())
  const drawing = createDrawing(parts.isMoving, draw)
  const lookBack = (): void => {
    if (isFull) return
    isFull = true
    full.draw()
    inline.makeWay(full.draw)
    full.tui.start()
    // Where its calls are is known once it is drawn.
    full.tui.renderNow()
  }
  const leave = (): void => {
    isFull = false
    full.tui.stop({ preserveScreen: true })
    inline.comeBack()
  }

  return {
    editor,
    start(onKey) {
      for (const tui of [inline, full.tui])
        tui.addInputListener((data) => {
          if (isKeyRelease(data)) return { consume: true }
          const isTaken = onKey(readPressed(data, parseKey(data)))
          if (isTaken) draw()
          return isTaken ? { consume: true } : undefined
        })
      if (isFull) full.tui.start()
      else inline.start()
    },
    async stop() {
      drawing.stop()
      await terminal.drainInput(200, 20)
      if (isFull && isInline) leave()
      if (isInline) inline.finish()
      if (isInline) inline.stop({ preserveScreen: true })
      else full.tui.stop({ preserveScreen: true })
    },
    redraw: drawing.redraw,
    emit: (sequence) => terminal.write(sequence),
    suspend(meanwhile) {
      if (!isFull) inline.withdraw()
      const tui = isFull ? full.tui : inline
      tui.stop({ preserveScreen: true })
      try {
        meanwhile()
      } finally {
        tui.start()
        tui.requestRender(true)
      }
    },
    lookBack,
    isLookingBack: () => isFull && isInline,
    reveal(row) {
      lookBack()
      full.reveal(row)
    },
    scroll(pages) {
      if (pages < 0) lookBack()
      if (isFull) full.scroll(pages)
    },
    scrollPane(rows) {
      lookBack()
      full.scrollPane(rows)
    },
    follow() {
      full.follow()
      if (isFull && isInline) leave()
    },
    wipe() {
      if (isInline && !isFull) inline.wipe()
    },
  }
}

/** What an inline screen shows below the terminal's own rows. */
function createFrames(parts: ScreenParts, editor: () => Editor): DrawFrame {
  return (columns, rows, isLast) => {
    const { settled, live } = parts.unprinted(columns, isLast)
    if (isLast) return { settled: [...settled, ...live], live: [] }
    const paneRows = Math.min(PANE_ROWS, Math.floor(rows / 3))
    const below = [
      ...parts.tasks(columns),
      ...parts.paneTitle(columns, true),
      ...parts.pane(columns, paneRows).slice(-paneRows),
      ...parts.sheet(columns, sheetRows(rows)),
      ...(parts.hasSheet() ? [] : editor().render(columns)),
      ...parts.status(columns, false),
    ]
    const room = Math.max(0, rows - below.length)
    return { settled, live: [...(room === 0 ? [] : live.slice(-room)), ...below] }
  }
}

function createEditor(tui: TUI, paint: Paint): SafeEditor {
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
