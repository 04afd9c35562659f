import { visibleWidth } from '@earendil-works/pi-tui'
import { ASCII_SIGNS } from '../../../terminal/ascii.ts'

const BEYOND_ASCII = /[^\u0000-\u007f]+/g
const segmenter = new Intl.Segmenter()

/**
 * Text for an ASCII-only terminal. Every character keeps the width that the library gave it when it laid out the row,
 * so that nothing moves.
 */
export function toAscii(text: string): string {
  return text.replace(BEYOND_ASCII, (run) =>
    [...segmenter.segment(run)]
      .map(({ segment }) => ASCII_SIGNS[segment] ?? '?'.repeat(Math.max(0, visibleWidth(segment))))
      .join(''),
  )
}

const DOTS = '…'
/** Blanks of which two can go: the columns behind them stay where they are. */
const GAP = / {2}(?= {2})/
/** Two characters, none of them of a style, and then only styles. */
const CUT = /(?<!\u001b\[[\d;]*)[ -~]{2}((?:\u001b\[[\d;]*m)*)$/
const ENDS = /^(?:\u001b\[[\d;]*m)*(?: |$)/

/**
 * Spells the sign for what is left out with three dots where a row of so many columns has the room: from blanks behind
 * it, from the end of the row, or from the text that it ends, which is cut anyway. Otherwise it becomes one dot.
 */
export function spellDots(row: string, columns: number): string {
  let room = columns - visibleWidth(row)
  let shown = ''
  let rest = row
  for (let at = rest.indexOf(DOTS); at !== -1; at = rest.indexOf(DOTS)) {
    const before = rest.slice(0, at)
    const after = rest.slice(at + DOTS.length)
    rest = GAP.test(after) ? after.replace(GAP, '') : after
    if (rest !== after) shown += `${before}...`
    else if (room >= 2) {
      room -= 2
      shown += `${before}...`
    } else if (room >= 0 && ENDS.test(after))
      shown += `${before.replace(CUT, '$1')}${CUT.test(before) ? '...' : '.'}`
    else shown += `${before}.`
  }
  return shown + rest
}
