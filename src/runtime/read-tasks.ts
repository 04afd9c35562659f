import { isJsonObject } from '../core/json/value.ts'
import type { JsonValue } from '../core/json/value.ts'

/** A work item as people see it. */
export interface ShownTask {
  readonly session: string
  readonly id: string
  readonly title: string
  readonly status: string
}

/** Reads work items out of what a session keeps; anything odd is left out. */
export function readTasks(session: string, kept: readonly (JsonValue | null)[]): readonly ShownTask[] {
  return kept.flatMap((value) => {
    const items = isJsonObject(value) ? value['items'] : null
    if (!Array.isArray(items)) return []
    return (items as readonly JsonValue[]).flatMap((item) => {
      if (!isJsonObject(item)) return []
      const { id, title, status } = item
      return typeof id === 'string' && typeof title === 'string' && typeof status === 'string'
        ? [{ session, id, title, status }]
        : []
    })
  })
}
