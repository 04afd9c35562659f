/** Options of a call; both can only narrow what is configured. */
export interface CallMeta {
  readonly cwd?: string
  /** Seconds. */
  readonly timeout?: number
}

/** One request for a tool, from any caller and over any protocol. */
export interface ToolCall {
  /** The caller's label; it never fetches an earlier result. */
  readonly id: string
  readonly name: string
  readonly args: unknown
  readonly meta?: CallMeta
  /** Problems found while parsing the call's text; they settle it before its arguments are read. */
  readonly problems?: readonly string[]
  /** Whether it came from a fenced block; a message may contain fewer of those. */
  readonly isFenced?: boolean
}

/** Who made the call: a model's calls can be held, a person's cannot. */
export type Origin = 'person' | 'model' | 'runtime'

/** Who is responsible for a call; part of every audit event. */
export interface Actor {
  readonly id: string
  readonly tenant?: string
}
