import { failure } from '../../../core/error.ts'
import { kindOrMissing } from '../../confine/inspect-path.ts'
import type { PathKind } from '../../confine/inspect-path.ts'

/**
 * Counts what is looked at for one judgement, and ends it with a failure before it takes long: whoever wrote what is
 * judged also chose how much that is.
 */
export interface Effort {
  readonly kindOf: (path: string) => PathKind
  /** Counts work other than looking at paths, in characters. */
  readonly spend: (characters: number) => void
  readonly judgement: Judgement
}

/** What all parts of one judgement have in common. */
export interface Judgement {
  readonly startedMs: number
}

/** More than any real configuration needs, and done within seconds. */
export const MOST_CHARACTERS = 32_000_000
/** A short path costs a call of the system too. */
const EACH_LOOK = 16

/** Long paths count for more, because the system walks them part by part. What is done for a part counts for the whole. */
export function createEffort(most: number = MOST_CHARACTERS, whole: Effort | null = null): Effort {
  let left = most
  const spend = (characters: number): void => {
    left -= characters
    if (left < 0)
      throw failure(
        'not_allowed',
        'more paths, or longer ones, would have to be followed for git than any project has',
      )
    whole?.spend(characters)
  }
  return {
    kindOf(path) {
      spend(path.length + EACH_LOOK)
      return kindOrMissing(path)
    },
    spend,
    judgement: whole?.judgement ?? { startedMs: Date.now() },
  }
}

/** Keeps what is found for one part of a judgement for its other parts, so that it is done and counted once. */
export function onceEach<Found extends object>(): (effort: Effort, what: string, find: () => Found) => Found {
  const known = new WeakMap<Judgement, Map<string, Found>>()
  return ({ judgement }, what, find) => {
    const ofThis = known.get(judgement) ?? new Map<string, Found>()
    known.set(judgement, ofThis)
    const found = ofThis.get(what) ?? find()
    ofThis.set(what, found)
    return found
  }
}
