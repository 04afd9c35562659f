import { failure } from '../../core/error.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { SessionStore } from '../../core/powers.ts'

/** The fields of every kind of work item. */
export interface Item {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly labels?: readonly string[]
  readonly created_at: number
  readonly updated_at: number
}

/** How a list can be filtered. */
export interface Filter {
  readonly status?: string
  readonly label?: string
  readonly path?: string
}

interface Stored<T extends Item> {
  readonly next: number
  readonly items: readonly T[]
}

/** A session's list of work items; ids are never reused, even after a deletion. */
export interface ItemList<T extends Item> {
  readonly all: () => readonly T[]
  readonly add: (make: (id: string) => T) => T
  readonly change: (id: string | undefined, how: (item: T) => T) => T
  readonly remove: (id: string | undefined) => string
}

/** Opens a list stored in the session's store under a key. */
export function openList<T extends Item>(store: SessionStore, key: string, prefix: string): ItemList<T> {
  const read = (): Stored<T> => readStored(store.read(key))
  const write = (stored: Stored<T>): void => store.write(key, stored as unknown as JsonValue)
  const find = (id: string | undefined): T => {
    const item = read().items.find((candidate) => candidate.id === id)
    if (item !== undefined) return item
    const known = read().items.map((candidate) => candidate.id)
    const hint =
      known.length === 0 ? 'There is none yet; create one.' : `Known: ${known.slice(0, 20).join(', ')}.`
    throw failure('bad_args', `There is no item ${JSON.stringify(id ?? '')}. ${hint}`)
  }
  return {
    all: () => read().items,
    add(make) {
      const { next, items } = read()
      const item = make(`${prefix}${next}`)
      write({ next: next + 1, items: [...items, item] })
      return item
    },
    change(id, how) {
      const changed = how(find(id))
      const { next, items } = read()
      write({ next, items: items.map((item) => (item.id === changed.id ? changed : item)) })
      return changed
    },
    remove(id) {
      const gone = find(id)
      const { next, items } = read()
      write({ next, items: items.filter((item) => item.id !== gone.id) })
      return gone.id
    },
  }
}

function readStored<T extends Item>(value: JsonValue | null): Stored<T> {
  if (!isJsonObject(value)) return { next: 1, items: [] }
  const { next, items } = value as JsonObject
  return {
    next: typeof next === 'number' ? next : 1,
    items: Array.isArray(items) ? (items as unknown as readonly T[]) : [],
  }
}

/** A new item: open, with the given fields. */
export function newItem<Fields extends object>(id: string, title: string, fields: Fields, at: number) {
  return { id, title, ...given(fields), status: 'open' as const, created_at: at, updated_at: at }
}

/** The items that pass a filter; paths are those the item refers to. */
export function filterItems<T extends Item>(
  items: readonly T[],
  filter: Filter,
  pathsOf: (item: T) => readonly string[],
): readonly T[] {
  return items.filter(
    (item) =>
      (filter.status === undefined || item.status === filter.status) &&
      (filter.label === undefined || (item.labels ?? []).includes(filter.label)) &&
      (filter.path === undefined || pathsOf(item).includes(filter.path)),
  )
}

/** Only the fields that were given, so that an update leaves the others unchanged. */
export function given<T extends object>(fields: T): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: Exclude<T[K], undefined>
  }
}
