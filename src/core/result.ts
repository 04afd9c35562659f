import type { Attachment } from './attachment/attachment.ts'
import type { Origin } from './call.ts'
import type { ErrorView } from './error.ts'
import type { JsonObject } from './json/value.ts'
import type { State } from './lifecycle.ts'

/** Where and how long a call ran. */
export interface Execution {
  readonly id: string
  readonly state: State
  readonly duration_ms: number
  /** The id of the grant but for which a person would have been asked. */
  readonly grant?: string
  /** How often it was begun; absent if once was enough. */
  readonly attempts?: number
}

/** What a result says about going on. */
export interface Continuation {
  /** The call itself asked for it, by `request_heartbeat`. */
  readonly requests_continuation: boolean
  /** A rule goes on for it. */
  readonly has_continue_rule: boolean
  /** Unless a call asks for it the model does not go on, where heartbeats decide. */
  readonly requires_heartbeat: boolean
  /** It has succeeded, and a rule ends the loop with that. */
  readonly ends_loop: boolean
}

/** A secret that was removed from a result: where it was and of what kind, never the value. */
export interface HiddenPart {
  /** The file that the result shows; null if it shows none. */
  readonly file: string | null
  /** In the file, or else in the text of the result; counted from 1. */
  readonly line: number
  readonly kind: string
  readonly characters: number
}

interface Answer {
  readonly id: string
  readonly name: string
  /** What the model is given. */
  readonly content: string
  readonly execution: Execution
  /** Set on calls that the runtime made on its own. */
  readonly origin?: Origin
  /** Absent if there is no result yet, or if no tool was involved. */
  readonly continuation?: Continuation
  /** Things worth knowing that are not failures, such as a deprecated tool. */
  readonly warnings?: readonly string[]
  /** The pictures and documents that the model is shown with it. */
  readonly attached?: readonly Attachment[]
  /** What was removed from the result before a model received it; absent if nothing was. */
  readonly hidden?: readonly HiddenPart[]
}

/** The answer of a call that did not do what it was asked. */
export type FailedResult = Answer & { readonly ok: false; readonly error: ErrorView }

/** The one answer every call gets. */
export type ToolResult = (Answer & { readonly ok: true; readonly result: JsonObject }) | FailedResult

/**
 * How a command ended that failed although its call succeeded, because an exit code is data for some tools; null if
 * nothing failed. Displays must not show such a call as a success.
 */
export function describeFailedCommand(answer: ToolResult): string | null {
  if (!answer.ok) return null
  const { exit_code: exitCode, signal, total, failed, errors } = answer.result
  if (typeof total === 'number' && typeof failed === 'number' && typeof errors === 'number') {
    const bad = failed + errors
    if (bad > 0) return `${bad} of ${Math.max(total, bad)} tests did not pass`
  }
  if (typeof signal === 'string') return `ended by ${signal}`
  return typeof exitCode === 'number' && exitCode !== 0 ? `exit code ${exitCode}` : null
}

/** The row of a batch of one call: if a rule requires others first, the runtime makes them, and they have rows of their own. */
export function rowOfOnly(rows: readonly ToolResult[]): ToolResult | null {
  return rows.find(({ origin }) => origin !== 'runtime') ?? null
}
