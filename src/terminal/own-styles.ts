import { randomInt } from 'node:crypto'
import { sanitise } from '../core/text/display/sanitise.ts'
import type { SafeText } from '../core/text/display/sanitise.ts'
import { inAscii } from './ascii.ts'
import { createPaint } from './paint.ts'
import type { Paint } from './paint.ts'

/** Digits that are new in every process, so that no text from outside can hold a style that counts as ours. */
const MARK = String(randomInt(2 ** 47, 2 ** 48 - 1))
const OWN_STYLE = new RegExp(String.raw`\u001b\[${MARK};(\d+)m`)

/** Creates a painter whose styles `finishText` knows as ours; until then they take up no columns, like any style. */
export function createOwnPaint(hasColour: boolean): Paint {
  return createPaint(hasColour, `${MARK};`)
}

/** Sanitizes what goes out to a terminal or a pipe, all but our own styles; for an ASCII-only terminal in ASCII. */
export function finishText(text: string, isAscii = false): SafeText {
  const finish = (piece: string): string => (isAscii ? inAscii(sanitise(piece)) : sanitise(piece))
  if (!text.includes(MARK)) return finish(text) as SafeText
  const pieces = text.split(OWN_STYLE).map((piece, at) => (at % 2 === 1 ? `\u001b[${piece}m` : finish(piece)))
  return pieces.join('') as SafeText
}
