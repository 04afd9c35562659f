import type { Stage } from './stage.ts'

/** Longer runs of blanks are counted instead of shown, so that they cannot push anything out of sight. */
const MAX_BLANKS = 3

const BLANK = String.raw`[ \t\n\u00A0\u1680\u2000-\u200A\u202F\u205F\u2800\u3000]`
const BLANKS = new RegExp(`${BLANK}+`, 'y')
const INK = new RegExp(BLANK.replace('[', '[^') + '+', 'y')

/** Quick test: a text without a match already is one line. */
export const NEEDS_ONE_LINE = new RegExp(String.raw`[\n\t]|${BLANK}{${MAX_BLANKS + 1}}`)

const runEnd = (run: RegExp, text: string, from: number): number => {
  run.lastIndex = from
  return run.test(text) ? run.lastIndex : from
}

/** Puts text on one line: line feeds and tabs become signs, and a long run of blanks becomes its count. */
export const createLineFolder = (): Stage => {
  let blanks = 0
  let firstBlanks = ''
  let hasLineFeed = false

  const takeBlanks = (): string => {
    const signs = firstBlanks.replaceAll('\n', '⏎').replaceAll('\t', '⇥')
    // A line feed separates commands: it stays visible also where the blanks around it are only counted.
    const shown = blanks > MAX_BLANKS ? `${hasLineFeed ? '⏎' : ''}⟨${blanks} blanks⟩` : signs
    blanks = 0
    firstBlanks = ''
    hasLineFeed = false
    return shown
  }

  return {
    push: (chunk) => {
      let out = ''
      let at = 0
      while (at < chunk.length) {
        const inkEnd = runEnd(INK, chunk, at)
        if (inkEnd > at) out += takeBlanks() + chunk.slice(at, inkEnd)
        at = runEnd(BLANKS, chunk, inkEnd)
        const run = chunk.slice(inkEnd, at)
        blanks += run.length
        firstBlanks += run.slice(0, MAX_BLANKS - firstBlanks.length)
        hasLineFeed ||= run.includes('\n')
      }
      return out
    },
    end: takeBlanks,
  }
}
