import { frameStart } from '../../core/web/framed-text.ts'

const MARK_CHARS = 8
const STORED = /^tongs:output\/[0-9a-z]+\.web$/

/** Room that the frame needs around a text, in bytes. */
export const FRAME_BYTES = 160

/**
 * Puts what came from the web into a frame. Its mark is chosen after the text is known and does not occur in it, so no
 * text can end its own frame and go on as if it were somebody else.
 */
export function frameContent(text: string, digestOf: DigestOf = fold): string {
  const mark = findMark(text, digestOf)
  return `${frameStart(mark)}\n${text}\n[end of web content ${mark}]`
}

type DigestOf = (text: string, round: number) => string

/** FNV-1a. That the mark is nowhere in the text protects it; nobody has to be unable to guess it. */
const fold: DigestOf = (text, round) => {
  let sum = 0x811c9dc5 ^ round
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
  return (sum >>> 0).toString(16).padStart(MARK_CHARS, '0')
}

/** In capitals neither: a model may read over the difference. */
function findMark(text: string, digestOf: DigestOf): string {
  const plain = text.toLowerCase()
  for (let round = 0; ; round += 1) {
    const mark = digestOf(text, round).slice(0, MARK_CHARS)
    if (!plain.includes(mark)) return mark
  }
}

/** Whether a path names stored text that came from the web. */
export function isWebContent(path: string): boolean {
  return STORED.test(path)
}
