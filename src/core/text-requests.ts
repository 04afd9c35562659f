/** Which definitions to find in a text, by the types of their nodes in a grammar. */
export interface OutlineRequest {
  readonly grammar: string
  readonly text: string
  /** Definitions that may hold others. */
  readonly opens: readonly string[]
  /** Definitions that are not looked into. */
  readonly ends: readonly string[]
  /** Other nodes that are not looked into. */
  readonly passes: readonly string[]
  /** Values that make a definition of what they are assigned to. */
  readonly assigned?: AssignedValues
}

/** Types of values that an assignment or a pair of an object can give a name. */
export interface AssignedValues {
  /** Those that hold other definitions. */
  readonly opens: readonly string[]
  /** The same, but only if they are assigned to one of these names. */
  readonly opensFor: { readonly types: readonly string[]; readonly names: RegExp }
  /** Those that are not looked into. */
  readonly ends: readonly string[]
}

/** A definition in a text. */
export interface OutlinedNode {
  /** The type of its node; of an assignment, that of its value. */
  readonly type: string
  readonly name: string
  /** Counted from 1, both included. */
  readonly startLine: number
  readonly endLine: number
  /** How many other definitions it is in. */
  readonly depth: number
}

/** Where a pattern matched, and what is to replace it there. */
export interface ExpandRequest {
  readonly query: string
  readonly isCaseSensitive: boolean
  /** With `$1`, `$<name>` or `$&` for groups. */
  readonly replacement: string
  /** The line of each match, and the match in its UTF-16 units. */
  readonly places: readonly { readonly line: string; readonly from: number; readonly to: number }[]
  readonly signal: AbortSignal
}
