import { ProcessTerminal } from '@earendil-works/pi-tui'
import { toAscii } from '../draw/ascii.ts'

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
