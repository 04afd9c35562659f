/** What planning assumes: the earlier calls of a batch succeed. Later previews see their changes, and their reads count. */
export interface Forecast {
  /** Contents that earlier calls would leave behind, by absolute path; null is 'no such file'. */
  readonly contents: ReadonlyMap<string, Uint8Array | null>
  /** Absolute paths that earlier calls would have read. */
  readonly reads: ReadonlySet<string>
}

/** A forecast that grows with every call that is rehearsed. */
export interface Rehearsal extends Forecast {
  readonly contents: Map<string, Uint8Array | null>
  readonly reads: Set<string>
}

/** Nothing is assumed: what is on disk counts. */
export const NO_FORECAST: Forecast = { contents: new Map(), reads: new Set() }
