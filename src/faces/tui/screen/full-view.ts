import { ScrollView, TuiAltScreen, VStack } from '@earendil-works/pi-tui'
import type { Component, Editor, Terminal, TuiMouseEvent } from '@earendil-works/pi-tui'
import type { DisplayOptions } from '../display-options.ts'
import { PANE_ROWS, sheetRows } from './screen-parts.ts'
import type { ScreenParts } from './screen-parts.ts'

/** The whole conversation on a screen of its own, which the app scrolls itself. */
export interface FullView {
  readonly tui: TuiAltScreen
  /** Builds the screen around the editor. */
  readonly show: (editor: Editor) => void
  readonly draw: () => void
  readonly reveal: (row: number) => void
  readonly scroll: (pages: number) => void
  readonly scrollPane: (rows: number) => void
  readonly follow: () => void
}

/** Creates it from the parts. */
export function createFullView(
  parts: ScreenParts,
  terminal: Terminal,
  { paint, hasMouse, isInline }: Pick<DisplayOptions, 'paint' | 'hasMouse' | 'isInline'>,
): FullView {
  const tui = new TuiAltScreen(terminal, false, undefined, { mouse: hasMouse })
  const transcript = partOf(parts.transcript, (event) => {
    if (event.type !== 'click' || event.button !== 'left') return false
    parts.onClick(event.y)
    return true
  })
  const conversation = new ScrollView(transcript, { follow: 'end', primary: true })
  // A row of its own: laid over the conversation, as the library would do it, it would cut words there.
  const moreBelow = partOf(
    () => [paint('inverse', ` more below: Ctrl-End${isInline ? ' or Esc' : ''} `)],
    (event) => {
      if (event.type !== 'click' || event.button !== 'left') return false
      tui.scrollToBottom()
      return true
    },
  )
  const output = partOf((columns) => parts.pane(columns, pane.isFollowingEnd ? PANE_ROWS : Infinity))
  const pane: ScrollView = new ScrollView(output, { follow: 'end' })
  const paneTitle = partOf((columns) => parts.paneTitle(columns, pane.isFollowingEnd))
  const sheet = partOf((columns) => parts.sheet(columns, sheetRows(terminal.rows)))
  let dropped = 0
  /** Keeps the lines that someone scrolled to in view, although lines before them go. */
  function holdPane(): void {
    const now = parts.paneDropped()
    if (!pane.isFollowingEnd && now > dropped) pane.scrollBy(dropped - now)
    dropped = now
  }
  return {
    tui,
    show(editor) {
      const root = new VStack([
        { component: conversation, basis: 0, grow: 1, shrink: 1, minSize: 0 },
        { component: moreBelow, shrink: 0, visible: () => !conversation.isFollowingEnd },
        { component: partOf(parts.tasks), shrink: 0 },
        { component: paneTitle, shrink: 0 },
        { component: pane, shrink: 1, maxSize: PANE_ROWS },
        { component: sheet, shrink: 0 },
        { component: editor, shrink: 0, visible: () => !parts.hasSheet() },
        { component: partOf((columns) => parts.status(columns, isInline)), shrink: 0 },
      ])
      tui.setLayoutRoot(root)
      tui.setFocus(editor)
    },
    draw() {
      holdPane()
      tui.requestRender()
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
