import { CURSOR_MARKER, Editor, ProcessTerminal } from '@earendil-works/pi-tui'
import { EVERY_HIDDEN } from '../../../core/text/display/hidden.ts'
import { toAscii } from '../draw/ascii.ts'

/** What the editor itself puts into its rows. */
const OWN_SEQUENCES = new RegExp(`(\\u001b\\[[0-9;]*m|${CURSOR_MARKER})`)

/** The line editor; what was pasted into it and cannot be seen is shown as a sign that something is there. */
export class SafeEditor extends Editor {
  override render(width: number): string[] {
    return super.render(width).map(revealHidden)
  }
}

/** Every second piece is one of the editor's own sequences. */
export function revealHidden(row: string): string {
  return row
    .split(OWN_SEQUENCES)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(EVERY_HIDDEN, '\uFFFD')))
    .join('')
}

/** The process's own terminal. Everything drawn passes here once more, for those that cannot show all of it. */
export class AppTerminal extends ProcessTerminal {
  readonly #isAscii: boolean

  constructor(isAscii: boolean) {
    super()
    this.#isAscii = isAscii
  }

  override write(data: string): void {
    super.write(this.#isAscii ? toAscii(data) : data)
  }
}
