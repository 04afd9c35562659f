import { EVERY_HIDDEN } from '../../core/text/display/hidden.ts'
import { frameStart } from '../../core/web/framed-text.ts'

const MARK_BYTES = 6
const STORED = /^tongs:output\/[0-9a-z]+\.web$/

/** Room that the frame needs around a text, in bytes. */
export const FRAME_BYTES = 160

/**
 * Puts what came from the web into a frame. Its mark is drawn for this one result once the text is known, so the author of
 * the text can neither hold it nor anything that looks like it, to end the frame and go on as if it were somebody else.
 */
export function frameContent(text: string, drawMark: () => string = drawRandom): string {
  const mark = findMark(text, drawMark)
  return `${frameStart(mark)}\n${text}\n[end of web content ${mark}]`
}

function drawRandom(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(MARK_BYTES))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** A mark that is not in the text by chance either, in capitals, in another form or with signs in it that do not show. */
function findMark(text: string, drawMark: () => string): string {
  const read = text.replaceAll(EVERY_HIDDEN, '').normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  for (;;) {
    const mark = drawMark()
    if (!read.includes(mark)) return mark
  }
}

/** Whether a path names stored text that came from the web. */
export function isWebContent(path: string): boolean {
  return STORED.test(path)
}
