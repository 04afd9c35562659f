/** One step of a streaming transformation: what it cannot decide yet it keeps, and `end` gives out the rest. */
export type Stage = {
  readonly push: (chunk: string) => string
  readonly end: () => string
}
