import { visibleWidth } from '@earendil-works/pi-tui'
import { readColour } from './colours.ts'

/** How text looks. A colour is `#rrggbb`, or null for that of the terminal. */
export interface Look {
  readonly fore: string | null
  readonly back: string | null
  readonly isBold: boolean
  readonly isFaint: boolean
  readonly isItalic: boolean
  readonly isUnderlined: boolean
  readonly isInverse: boolean
}

/** Text of one look, in a row, from a column on. */
export interface Run extends Look {
  readonly text: string
  readonly column: number
  readonly columns: number
}

const PLAIN: Look = {
  fore: null,
  back: null,
  isBold: false,
  isFaint: false,
  isItalic: false,
  isUnderlined: false,
  isInverse: false,
}

/** What a number of an SGR sequence changes; colours are read apart. */
const CHANGES: Readonly<Record<number, Partial<Look>>> = {
  0: PLAIN,
  1: { isBold: true },
  2: { isFaint: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
  7: { isInverse: true },
  22: { isBold: false, isFaint: false },
  23: { isItalic: false },
  24: { isUnderlined: false },
  27: { isInverse: false },
  39: { fore: null },
  49: { back: null },
}

// Text, a sequence that changes its look, or another one, which draws nothing.
const PIECES =
  /\u001b\[([\d;:]*)m|\u001b(?:\[[\d;:?]*[A-Za-ln-z]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[()].)|([^\u001b]+)|\u001b/g
const CONTROLS = /[\u0000-\u001f\u007f-\u009f]/g

/** Reads a frame of a terminal, as `tmux capture-pane -e` prints it, into rows of runs. */
export function readFrame(frame: string): readonly (readonly Run[])[] {
  let look = PLAIN
  return frame
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const row: Run[] = []
      let column = 0
      for (const [, codes, written] of line.matchAll(PIECES)) {
        if (codes !== undefined) look = applyCodes(look, codes)
        const text = written?.replace(CONTROLS, '') ?? ''
        if (text === '') continue
        const columns = visibleWidth(text)
        row.push({ ...look, text, column, columns })
        column += columns
      }
      return row
    })
}

function applyCodes(before: Look, codes: string): Look {
  const numbers = codes.split(/[;:]/).map(Number)
  const look = { ...before }
  for (let at = 0; at < numbers.length; at += 1) {
    const colour = readColour(numbers, at)
    if (colour === null) Object.assign(look, CHANGES[numbers[at] ?? 0])
    else Object.assign(look, colour.isBack ? { back: colour.colour } : { fore: colour.colour })
    at += (colour?.length ?? 1) - 1
  }
  return look
}
