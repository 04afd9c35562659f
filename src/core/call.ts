/** What may ride along with a call; both can only narrow what is configured. */
export interface CallMeta {
  readonly cwd?: string
  /** Seconds. */
  readonly timeout?: number
}

/** One request for a tool, whoever made it and over whichever wire. */
export interface ToolCall {
  /** The caller's label; it never fetches an earlier result. */
  readonly id: string
  readonly name: string
  readonly args: unknown
  readonly meta?: CallMeta
  /** Problems found while reading the call's text, which settle it before anything looks at its arguments. */
  readonly problems?: readonly string[]
  /** Whether it stood in a fenced block; of those a message may hold fewer. */
  readonly isFenced?: boolean
}

/** Whose hand made the call: a model's calls can be held, a person's cannot. */
export type Origin = 'person' | 'model' | 'runtime'

/** Who is answerable for a call; stands in every audit event. */
export interface Actor {
  readonly id: string
  readonly tenant?: string
}
