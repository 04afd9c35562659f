import type { Likeness } from './face.ts'
import { library } from './faces/library.ts'
import { play } from './play.ts'
import type { Outcome } from './play.ts'
import type { Scenario } from './scenario.ts'

const played = new Map<string, Promise<Outcome>>()

/** What comes of a scenario in the library, played once for each likeness. */
export function inLibrary(scenario: Scenario, { hasBatches, origin }: Likeness): Promise<Outcome> {
  const key = `${scenario.name} ${hasBatches} ${origin}`
  const known = played.get(key) ?? play(scenario, library, { hasBatches, origin })
  played.set(key, known)
  return known
}

/** The library as a model would use it. */
export const AS_MODEL: Likeness = { hasBatches: true, origin: 'model' }
