import type { JsonValue } from '../../core/json/value.ts'
import type { SessionStore } from '../../core/powers.ts'

/** A store whose changes are staged like those of files. */
export interface StagedStore extends SessionStore {
  /** What changed, by key. */
  readonly changes: () => ReadonlyMap<string, JsonValue>
}

/** Begins a store on top of what the session has kept so far. */
export function createStagedStore(
  recall: (key: string) => JsonValue | null,
  assertOpen: () => void,
): StagedStore {
  const staged = new Map<string, JsonValue>()
  return {
    read(key) {
      assertOpen()
      return staged.get(key) ?? recall(key)
    },
    write(key, value) {
      assertOpen()
      staged.set(key, value)
    },
    changes: () => staged,
  }
}
