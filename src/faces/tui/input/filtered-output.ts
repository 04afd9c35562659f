import { CURSOR_MARKER, Editor, ProcessTerminal } from '@earendil-works/pi-tui'
import { EVERY_HIDDEN } from '../../../core/text/display/hidden.ts'
import { toAscii } from '../draw/ascii.ts'

/** Sequences that the editor itself writes. */
const OWN_SEQUENCES = new RegExp(`(\\u001b\\[[0-9;]*m|${CURSOR_MARKER})`)

/** The line editor; shows a replacement sign for pasted characters that are invisible. */
export class SafeEditor extends Editor {
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

  override write(data: string): void {
    super.write(this.#isAscii ? toAscii(data) : data)
  }
}
