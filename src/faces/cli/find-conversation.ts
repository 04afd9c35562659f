import type { Runtime } from '../../runtime/runtime.ts'

/** A session, and the model it was last spoken in with. */
export interface FoundConversation {
  readonly session: string
  readonly model: string | null
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
  let model: string | null = null
  for (const { entry } of runtime.log({ session })) {
    if (entry.kind !== 'said') continue
    isSpoken = true
    model = entry.model ?? model
  }
  return isSpoken ? { session, model } : null
}
