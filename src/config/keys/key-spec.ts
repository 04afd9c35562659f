import type { ValueKind } from '../kinds/value-kind.ts'

export type Unit =
  | 'bytes'
  | 'seconds'
  | 'days'
  | 'calls'
  | 'entries'
  | 'levels'
  | 'times'
  | 'tokens'
  | 'percent'
  | 'pixels'

/** Everything known about one configuration key. */
export interface KeySpec<T> {
  readonly kind: ValueKind<T>
  /** The default under the profile `agent`. */
  readonly agent: T
  /** The default under the profile `strict`. */
  readonly strict: T
  /** The requirements that the key implements. */
  readonly ids: readonly string[]
  /** One plain sentence. */
  readonly description: string
  readonly unit: Unit | null
  /** What a project's file may set even if it is trusted. */
  readonly fromProject: 'anything' | 'tighter' | 'nothing'
}

interface KeyFacts<T> {
  readonly default: T
  readonly strict?: T
  readonly ids?: readonly string[]
  readonly description: string
  readonly unit?: Unit
  readonly fromProject?: 'tighter' | 'nothing'
}

/** One row of the table of keys. */
export function key<T>(kind: ValueKind<T>, facts: KeyFacts<NoInfer<T>>): KeySpec<T> {
  return {
    kind,
    agent: facts.default,
    strict: facts.strict ?? facts.default,
    ids: facts.ids ?? [],
    description: facts.description,
    unit: facts.unit ?? null,
    fromProject: facts.fromProject ?? 'anything',
  }
}

/** The default of a key, and where it comes from. */
export function defaultOf<T>(
  spec: KeySpec<T>,
  profile: 'agent' | 'strict',
): { readonly value: T; readonly origin: string } {
  const isSame = spec.agent === spec.strict
  return { value: spec[profile], origin: isSame ? 'built in' : `profile ${profile}` }
}
