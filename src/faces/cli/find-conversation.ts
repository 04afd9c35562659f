import type { Runtime } from '../../runtime/runtime.ts'

/** A session, and the model it was last spoken in with. */
export interface FoundConversation {
  readonly session: string
  readonly model: string | null
}

/** The conversation of this root that was spoken in last, or of one session; null where nothing was ever said. */
export function findConversation(runtime: Runtime, session?: string): FoundConversation | null {
  const models = new Map<string, string>()
  let newest = { session: '', at: Number.NEGATIVE_INFINITY }
  for (const { entry, at, session: key } of runtime.log(session === undefined ? {} : { session })) {
    if (entry.kind !== 'said') continue
    if (entry.model !== null) models.set(key.name, entry.model)
    if (at >= newest.at) newest = { session: key.name, at }
  }
  const { session: name } = newest
  return name === '' ? null : { session: name, model: models.get(name) ?? null }
}
