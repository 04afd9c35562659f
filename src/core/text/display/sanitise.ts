import { createSequenceRemover } from './escape-sequences.ts'
import { SUSPICIOUS } from './hidden.ts'
import { createLineFolder, NEEDS_ONE_LINE } from './one-line.ts'
import { createRevealer } from './reveal.ts'
import type { Stage } from './stage.ts'

declare const safe: unique symbol

/** Text that may be written to a terminal; made nowhere but here. */
export type SafeText = string & { readonly [safe]: true }

/**
 * `oneLine` is for prompts and summaries: line feeds, tabs and long runs of blanks become visible signs. `showSequences`
 * is for text that somebody agrees to: escape sequences are shown as what they are instead of dropped.
 */
export type SanitiseOptions = { readonly oneLine?: boolean; readonly showSequences?: boolean }

/** Sanitises a stream; what it gives out in all is the same however the text was cut into chunks. */
export type Sanitiser = {
  readonly push: (chunk: string) => SafeText
  /** Gives out what was held back, and starts afresh. */
  readonly end: () => SafeText
}

const mint = (text: string): SafeText => text as SafeText

/**
 * Makes a sanitiser. Whole escape sequences are dropped first; then what is left of control, bidi and invisible
 * characters is made visible as `\u{202E}`. In this order no dropped sequence can bring two halves of another together.
 */
export const createSanitiser = (options: SanitiseOptions = {}): Sanitiser => {
  const stages: Stage[] =
    options.showSequences === true ? [createRevealer()] : [createSequenceRemover(), createRevealer()]
  if (options.oneLine === true) stages.push(createLineFolder())
  return {
    push: (chunk) => mint(stages.reduce((text, stage) => stage.push(text), chunk)),
    end: () => mint(stages.reduce((text, stage) => stage.push(text) + stage.end(), '')),
  }
}

/** Makes a whole text safe for a terminal; text that already is comes back as it is. */
export const sanitise = (text: string, options: SanitiseOptions = {}): SafeText => {
  if (!SUSPICIOUS.test(text) && !(options.oneLine === true && NEEDS_ONE_LINE.test(text))) return mint(text)
  const sanitiser = createSanitiser(options)
  return mint(sanitiser.push(text) + sanitiser.end())
}
