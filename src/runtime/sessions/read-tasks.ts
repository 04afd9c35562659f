import { isJsonObject } from '../../core/json/value.ts'
import type { JsonValue } from '../../core/json/value.ts'
import { readStored } from '../../pipeline/memory/stored-values.ts'
import type { StoredSource } from '../../pipeline/memory/stored-values.ts'

/** A work item as people see it. */
export interface ShownTask {
  readonly session: string
  readonly id: string
  readonly title: string
  readonly status: string
}

/** The work items of a session, read from its log. */
export function tasksOf(log: StoredSource, session: string): readonly ShownTask[] {
  return readTasks(session, [readStored(log, 'todos'), readStored(log, 'tasks')])
}

/** Reads work items from a session's stored values; malformed ones are left out. */
function readTasks(session: string, values: readonly (JsonValue | null)[]): readonly ShownTask[] {
  return values.flatMap((value) => {
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
