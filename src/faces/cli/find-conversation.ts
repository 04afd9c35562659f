import { foldSpokenWith } from '../../agent/log/spoken-with.ts'
import type { SpokenWith } from '../../agent/log/spoken-with.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** A session, and whom it was last spoken with. */
export interface FoundConversation {
  readonly session: string
  readonly partner: SpokenWith | null
}

/** The conversation of this root that was written to last, or that of one session; null where nothing was ever said. */
export function findConversation(runtime: Runtime, session?: string): FoundConversation | null {
  const names = session === undefined ? runtime.sessions().map(({ name }) => name) : [session]
  for (const name of names) {
    const found = readConversation(runtime, name)
    if (found !== null) return found
  }
  return null
}

function readConversation(runtime: Runtime, session: string): FoundConversation | null {
  let isSpoken = false
  let partner: SpokenWith | null = null
  for (const { entry } of runtime.log({ session })) {
    isSpoken ||= entry.kind === 'said'
    partner = foldSpokenWith(partner, entry)
  }
  return isSpoken ? { session, partner } : null
}
