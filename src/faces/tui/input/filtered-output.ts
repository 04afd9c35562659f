import { CURSOR_MARKER, Editor, matchesKey, ProcessTerminal, visibleWidth } from '@earendil-works/pi-tui'
import { EVERY_HIDDEN } from '../../../core/text/display/hidden.ts'
import { toAscii } from '../draw/ascii.ts'

/** Sequences that the editor itself writes. */
const OWN_SEQUENCES = new RegExp(`(\\u001b\\[[0-9;]*m|${CURSOR_MARKER})`)

const LINE_END = '\n'
const ENTER = '\r'
/** The margins of the editor, and the cursor behind the text. */
const ROOM = 3

const LINE_END_KEY = '\u0005'

/**
 * The line editor; shows a replacement sign for pasted characters that are invisible. Going back in the history ends up
 * behind the line, as in a shell, unless it takes several rows: Up would then go through them first.
 */
export class SafeEditor extends Editor {
  override handleInput(data: string): void {
    const before = this.getText()
    super.handleInput(data)
    const text = this.getText()
    const isFromHistory = text !== before && matchesKey(data, 'up')
    if (isFromHistory && visibleWidth(text) < this.tui.terminal.columns - ROOM && !text.includes(LINE_END))
      super.handleInput(LINE_END_KEY)
  }

  override render(width: number): string[] {
    return super.render(width).map(revealHidden)
  }
}

/** Replaces invisible characters; every second piece is one of the editor's own sequences. */
export function revealHidden(row: string): string {
  return row
    .split(OWN_SEQUENCES)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(EVERY_HIDDEN, '\uFFFD')))
    .join('')
}

/** The terminal of the process; converts everything to ASCII if it can show nothing else. */
export class AppTerminal extends ProcessTerminal {
  readonly #isAscii: boolean

  constructor(isAscii: boolean) {
    super()
    this.#isAscii = isAscii
  }

  /** What was typed before the app listened has passed the terminal's line mode, which makes a line end of Enter. */
  override start(onInput: (data: string) => void, onResize: () => void): void {
    let isTypedBefore = true
    super.start((data) => onInput(isTypedBefore && data === LINE_END ? ENTER : data), onResize)
    // It is read in the next turn of the loop.
    setImmediate(() => setImmediate(() => (isTypedBefore = false)))
  }

  override write(data: string): void {
    super.write(this.#isAscii ? toAscii(data) : data)
  }
}
