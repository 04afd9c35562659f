import { HIDDEN_OR_RETURN, SUSPICIOUS } from './hidden.ts'
import { isSpelling, LOOK_BEHIND_UNITS } from './spelling.ts'
import type { Stage } from './stage.ts'

/** The visible form of a character that must not reach a terminal as it is. */
const revealCharacter = (character: string): string => {
  if (character === '\r\n') return '\n'
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isJoiner = (unit: number): boolean => unit === 0x200c || unit === 0x200d

/** Where the part begins that cannot be judged before the next character is known. */
const findUndecided = (text: string): number => {
  let at = text.length
  if (text.endsWith('\r')) return at - 1
  if (isHighSurrogate(text.charCodeAt(at - 1))) at -= 1
  if (isJoiner(text.charCodeAt(at - 1))) at -= 1
  return at
}

/** Makes every character visible that is hidden and spells nothing; CRLF becomes a line feed. */
export const createRevealer = (): Stage => {
  let before = ''
  let held = ''

  const reveal = (text: string): string => {
    const whole = before + text
    const skip = before.length
    before = whole.slice(-LOOK_BEHIND_UNITS)
    if (!SUSPICIOUS.test(text)) return text
    const revealed = whole.replace(HIDDEN_OR_RETURN, (character, at: number) =>
      at < skip || isSpelling(whole, at) ? character : revealCharacter(character),
    )
    return revealed.slice(skip)
  }

  return {
    push: (chunk) => {
      const text = held + chunk
      const end = findUndecided(text)
      held = text.slice(end)
      return reveal(text.slice(0, end))
    },
    end: () => {
      const last = reveal(held)
      held = ''
      before = ''
      return last
    },
  }
}
