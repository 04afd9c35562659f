import type { Cut } from '../events.ts'

const CUTS: Readonly<Record<Cut, string>> = {
  length: 'the answer was cut off because it had become as long as it may; say "go on" for the rest',
  refused: 'the model, or its provider, refused to answer this',
  other: 'the model stopped without saying why',
}

/** Why an answer is short, or none, in words for the person who waits for it. */
export function describeCut(cut: Cut): string {
  return CUTS[cut]
}
