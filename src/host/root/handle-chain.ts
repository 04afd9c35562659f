/** How folders are entered and left on a walk. */
export interface FolderSteps<Handle> {
  readonly enter: (parent: Handle, name: string) => Handle
  readonly leave: (handle: Handle) => void
}

/** The most folders that one walk holds open, however deep it goes. */
const MAX_OPEN = 64
/** How many of the deepest folders stay open, because that is where a walk goes up and down. */
const RECENT = 24

/**
 * The folders from the start of a walk down to its current folder. All can be reached, but few are open: when there are
 * too many, one in between is closed, such that each gap stays short and can be walked again from the open one above.
 */
export class HandleChain<Handle> {
  readonly #steps: FolderSteps<Handle>
  readonly #names: string[] = []
  /** By depth, in ascending order. */
  readonly #open: { readonly depth: number; readonly handle: Handle }[]

  constructor(steps: FolderSteps<Handle>, start: Handle) {
    this.#steps = steps
    this.#open = [{ depth: 0, handle: start }]
  }

  /** How many folders lie below the start of the walk. */
  get depth(): number {
    return this.#names.length
  }

  /** The deepest folder. */
  current(): Handle {
    return this.#reach(this.depth)
  }

  /** Enters a folder in the deepest one, which is then the deepest. */
  enter(name: string): Handle {
    const handle = this.#steps.enter(this.current(), name)
    this.#names.push(name)
    this.#hold(this.depth, handle)
    return handle
  }

  /** Goes back up one folder. */
  leave(): void {
    const deepest = this.#open.at(-1)
    if (deepest !== undefined && deepest.depth === this.depth) this.#close(this.#open.length - 1)
    this.#names.pop()
  }

  /** Closes all folders. */
  close(): void {
    while (this.#open.length > 0) this.#close(this.#open.length - 1)
  }

  #reach(depth: number): Handle {
    let from = this.#open.at(-1)
    if (from === undefined) throw new Error('this walk is over')
    while (from.depth < depth) {
      const next = this.#steps.enter(from.handle, this.#names[from.depth] ?? '')
      from = this.#hold(from.depth + 1, next)
    }
    return from.handle
  }

  #hold(depth: number, handle: Handle): { readonly depth: number; readonly handle: Handle } {
    const entry = { depth, handle }
    this.#open.push(entry)
    if (this.#open.length > MAX_OPEN) this.#close(this.#smallestGap())
    return entry
  }

  /** The index of the folder, neither the start nor one of the deepest, that leaves the smallest gap. */
  #smallestGap(): number {
    let best = 1
    let bestGap = Number.POSITIVE_INFINITY
    for (let at = 1; at < this.#open.length - RECENT; at++) {
      const gap = (this.#open[at + 1]?.depth ?? 0) - (this.#open[at - 1]?.depth ?? 0)
      if (gap < bestGap) {
        best = at
        bestGap = gap
      }
    }
    return best
  }

  #close(at: number): void {
    const [entry] = this.#open.splice(at, 1)
    if (entry !== undefined) this.#steps.leave(entry.handle)
  }
}
