import { createSequenceRemover } from './escape-sequences.ts'
import { HIDDEN_OR_RETURN, isSpelling, isVisibleSpelling, LOOK_BEHIND_UNITS, SUSPICIOUS } from './hidden.ts'
import type { Stage } from './escape-sequences.ts'
import { BEYOND_ASCII, createLookalikeSpeller, MAX_BLANKS, ODD_BLANKS } from './lookalikes.ts'

declare const safe: unique symbol

/** Text that may be written to a terminal; created only here. */
export type SafeText = string & { readonly [safe]: true }

/**
 * `oneLine` is for prompts and summaries: line feeds, tabs and long runs of blanks become visible symbols.
 * `showSequences` is for text that a person approves: escape sequences are shown instead of dropped, and what looks
 * like something else is spelled out.
 */
export type SanitiseOptions = { readonly oneLine?: boolean; readonly showSequences?: boolean }

/** Sanitizes a stream; the total output does not depend on how the text was split into chunks. */
export type Sanitiser = {
  readonly push: (chunk: string) => SafeText
  /** Returns what was held back, and resets the sanitizer. */
  readonly end: () => SafeText
}

const mint = (text: string): SafeText => text as SafeText

/**
 * Creates a sanitizer. Complete escape sequences are dropped first; then any remaining control, bidi and invisible
 * characters are made visible, as in `\u{202E}`. In this order, dropping a sequence cannot join two halves of
 * another.
 */
export const createSanitiser = (options: SanitiseOptions = {}): Sanitiser => {
  const stages: Stage[] =
    options.showSequences === true
      ? [createRevealer(isVisibleSpelling), createLookalikeSpeller()]
      : [createSequenceRemover(), createRevealer(isSpelling)]
  if (options.oneLine === true) stages.push(createLineFolder())
  return {
    push: (chunk) => mint(stages.reduce((text, stage) => stage.push(text), chunk)),
    end: () => mint(stages.reduce((text, stage) => stage.push(text) + stage.end(), '')),
  }
}

/** Makes a whole text safe for a terminal; text that already is safe is returned unchanged. */
export const sanitise = (text: string, options: SanitiseOptions = {}): SafeText => {
  const needsWork =
    SUSPICIOUS.test(text) ||
    (options.oneLine === true && NEEDS_ONE_LINE.test(text)) ||
    (options.showSequences === true && BEYOND_ASCII.test(text))
  if (!needsWork) return mint(text)
  const sanitiser = createSanitiser(options)
  return mint(sanitiser.push(text) + sanitiser.end())
}

/** The visible form of a character that must not reach a terminal. */
const revealCharacter = (character: string): string => {
  if (character === '\r\n') return '\n'
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
/** Joiners, and the selector that makes an emoji of a character. */
const needsNext = (unit: number): boolean => unit === 0x200c || unit === 0x200d || unit === 0xfe0f

/** Where the part begins that cannot be judged before the next character is known. */
const findUndecided = (text: string): number => {
  let at = text.length
  if (text.endsWith('\r')) return at - 1
  if (isHighSurrogate(text.charCodeAt(at - 1))) at -= 1
  if (needsNext(text.charCodeAt(at - 1))) at -= 1
  return at
}

/** Makes hidden characters visible unless they are part of ordinary spelling; CRLF becomes a line feed. */
const createRevealer = (isKept: typeof isSpelling): Stage => {
  let before = ''
  let held = ''

  const reveal = (text: string): string => {
    const whole = before + text
    const skip = before.length
    before = whole.slice(-LOOK_BEHIND_UNITS)
    if (!SUSPICIOUS.test(text)) return text
    const revealed = whole.replace(HIDDEN_OR_RETURN, (character, at: number) =>
      at < skip || isKept(whole, at) ? character : revealCharacter(character),
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

const BLANK = String.raw`[ \t\n${ODD_BLANKS}]`
const BLANKS = new RegExp(`${BLANK}+`, 'y')
const INK = new RegExp(BLANK.replace('[', '[^') + '+', 'y')

/** A quick test: text without a match is already one line. */
const NEEDS_ONE_LINE = new RegExp(String.raw`[\n\t]|${BLANK}{${MAX_BLANKS + 1}}`)

const runEnd = (run: RegExp, text: string, from: number): number => {
  run.lastIndex = from
  return run.test(text) ? run.lastIndex : from
}

/** Puts text on one line: line feeds and tabs become symbols, and a long run of blanks becomes a count. */
const createLineFolder = (): Stage => {
  let blanks = 0
  let firstBlanks = ''
  let hasLineFeed = false

  const takeBlanks = (): string => {
    const signs = firstBlanks.replaceAll('\n', '⏎').replaceAll('\t', '⇥')
    // A line feed separates commands: it stays visible even if the blanks around it are only counted.
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
