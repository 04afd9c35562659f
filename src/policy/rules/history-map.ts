interface Cell<Value> {
  readonly version: number
  /** Undefined if the key was removed. */
  readonly value: Value | undefined
  readonly earlier: Cell<Value> | null
}

/** Cells by key, the newest first, shared by all versions of a map. */
interface Shared<Value> {
  readonly cells: Map<string, Cell<Value>>
  newest: number
}

/**
 * An immutable map whose versions share their storage: changing the newest version costs the same however many keys
 * there are, and earlier versions stay as they were. Changing an earlier version copies it.
 */
export class HistoryMap<Value> {
  readonly size: number
  readonly #shared: Shared<Value>
  readonly #version: number

  private constructor(shared: Shared<Value>, version: number, size: number) {
    this.#shared = shared
    this.#version = version
    this.size = size
  }

  static of<Value>(entries: Iterable<readonly [string, Value]> = []): HistoryMap<Value> {
    const cells = new Map<string, Cell<Value>>()
    for (const [key, value] of entries) cells.set(key, { version: 0, value, earlier: null })
    return new HistoryMap({ cells, newest: 0 }, 0, cells.size)
  }

  get(key: string): Value | undefined {
    let cell = this.#shared.cells.get(key) ?? null
    while (cell !== null && cell.version > this.#version) cell = cell.earlier
    return cell?.value
  }

  /** This map with a key changed, or removed if the value is undefined. */
  with(key: string, value: Value | undefined): HistoryMap<Value> {
    const before = this.get(key)
    if (before === value) return this
    if (this.#shared.newest !== this.#version) return HistoryMap.of(this).with(key, value)
    const { cells } = this.#shared
    const version = ++this.#shared.newest
    cells.set(key, { version, value, earlier: cells.get(key) ?? null })
    const growth = (value === undefined ? 0 : 1) - (before === undefined ? 0 : 1)
    return new HistoryMap(this.#shared, version, this.size + growth)
  }

  *[Symbol.iterator](): Generator<readonly [string, Value]> {
    for (const key of this.#shared.cells.keys()) {
      const value = this.get(key)
      if (value !== undefined) yield [key, value]
    }
  }
}
