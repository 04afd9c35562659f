import { TuiMainScreen, visibleWidth } from '@earendil-works/pi-tui'
import type { Terminal } from '@earendil-works/pi-tui'

/** What is drawn next. */
export interface InlineFrame {
  /** Rows that are printed for good; they scroll away, and are never drawn again. */
  readonly settled: readonly string[]
  /** Rows below them that may change; there is always room for them on the screen. */
  readonly live: readonly string[]
}

/** Draws a frame; the last one has nothing live. */
export type DrawFrame = (columns: number, rows: number, isLast: boolean) => InlineFrame

const BEGIN = '\u001b[?2026h'
const END = '\u001b[?2026l'
const CLEAR_ROW = '\u001b[2K'
const CLEAR_BELOW = '\u001b[J'
const CLEAR_ALL = '\u001b[2J\u001b[H'

/**
 * Draws below what the terminal already shows, and leaves scrolling and selecting to it: settled rows are printed once,
 * and only the live rows at the end are drawn again. The library's own screen would clear the terminal and what
 * was in it before the app when the width changes.
 */
export class InlineTui extends TuiMainScreen {
  readonly #draw: DrawFrame
  #isOn = false
  #live: readonly string[] = []
  #columns = 0
  /** Where the cursor is, counted from the first live row. */
  #cursor = { row: 0, column: 0 }
  /** Draws instead while another screen is shown. */
  #instead: (() => void) | null = null

  constructor(terminal: Terminal, draw: DrawFrame) {
    super(terminal, false)
    this.#draw = draw
  }

  /** Lets another screen have the terminal; what is drawn here stays behind it. */
  makeWay(redraw: () => void): void {
    this.stop({ preserveScreen: true })
    this.#instead = redraw
  }

  /** Takes the terminal back. */
  comeBack(): void {
    this.#instead = null
    this.start()
    // A frame that was due when it made way is still noted as due, and then no other would ever be drawn.
    this.requestRender(true)
  }

  /** Removes the live rows, so that another program goes on there. */
  withdraw(): void {
    this.terminal.write(`${this.#toTop(this.terminal.columns)}${CLEAR_BELOW}`)
    this.#forget()
  }

  /** Prints everything for good, and leaves the cursor below it. */
  finish(): void {
    this.#write(this.#draw(this.terminal.columns, this.terminal.rows, true))
    this.terminal.write(this.#live.length === 0 ? '' : '\r\n')
    this.#forget()
  }

  /** Clears the screen; what has scrolled away stays. */
  wipe(): void {
    // Some terminals keep what they clear, and the live rows are not worth keeping.
    this.withdraw()
    this.terminal.write(CLEAR_ALL)
  }

  override requestRender(force = false): void {
    if (this.#instead === null) super.requestRender(force)
    else this.#instead()
  }

  protected override beforeTerminalStart(): void {
    this.#isOn = true
  }

  protected override beforeTerminalStop(): void {
    this.#isOn = false
  }

  protected override doRender(): void {
    if (this.#isOn) this.#write(this.#draw(this.terminal.columns, this.terminal.rows, false))
  }

  #forget(): void {
    this.#live = []
    this.#cursor = { row: 0, column: 0 }
  }

  #write(frame: InlineFrame): void {
    const { columns, rows } = this.terminal
    // Blanks at the end of a row would be wrapped like words when the terminal gets narrower.
    const live = frame.live.slice(-rows).map((row) => row.trimEnd())
    const cursor = this.extractCursorPosition(live, rows)
    this.applyLineResets(live)
    const isSame = columns === this.#columns && frame.settled.length === 0 && live.length > 0
    const drawn = isSame
      ? this.#drawChanged(live)
      : this.#drawAll([...this.applyLineResets([...frame.settled])], live, columns)
    const last = Math.max(0, live.length - 1)
    const target = cursor === null ? { row: last, column: 0 } : { row: cursor.row, column: cursor.col }
    this.terminal.write(`${BEGIN}${drawn}${move(last, target.row)}\u001b[${target.column + 1}G${END}`)
    this.#live = live
    this.#columns = columns
    this.#cursor = target
  }

  /** The settled rows and then all live ones, in place of the live rows that are there. */
  #drawAll(settled: readonly string[], live: readonly string[], columns: number): string {
    const rows = [...settled, ...(live.length === 0 ? [''] : live)]
    const text = rows.map((row) => CLEAR_ROW + row).join('\r\n')
    // Clearing begins in a row of its own, because the cursor may stand on the last character of a full row.
    const isShorter = rows.length < this.#heightAt(columns)
    return this.#toTop(columns) + text + (isShorter ? `\r\n${CLEAR_BELOW}\u001b[A` : '')
  }

  /** The live rows that differ, and those that are new; the cursor ends in the last one. */
  #drawChanged(live: readonly string[]): string {
    let at = this.#cursor.row
    let text = ''
    const known = this.#live.length
    for (const [index, row] of live.entries()) {
      if (index < known && this.#live[index] === row) continue
      text += index < known ? `${move(at, index)}\r` : `${move(at, index - 1)}\r\n`
      text += CLEAR_ROW + row
      at = index
    }
    const last = live.length - 1
    if (live.length < known) text += `${move(at, live.length)}\r${CLEAR_BELOW}${move(live.length, last)}`
    else text += move(at, last)
    return text
  }

  /** Moves to the first live row. If the width has changed, the terminal has wrapped the rows above the cursor. */
  #toTop(columns: number): string {
    const { row, column } = this.#cursor
    return `${move(this.#wrappedRows(this.#live.slice(0, row), columns) + Math.floor(column / columns), 0)}\r`
  }

  #heightAt(columns: number): number {
    return this.#wrappedRows(this.#live, columns)
  }

  #wrappedRows(rows: readonly string[], columns: number): number {
    if (columns === this.#columns) return rows.length
    return rows.reduce((sum, row) => sum + Math.max(1, Math.ceil(visibleWidth(row) / columns)), 0)
  }
}

/** Moves the cursor from a row to another. */
function move(from: number, to: number): string {
  if (from === to) return ''
  return from < to ? `\u001b[${to - from}B` : `\u001b[${from - to}A`
}
