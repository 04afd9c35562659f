import type { CharacterSet } from './character-set.ts'

/** A pattern, taken apart. */
export type PatternNode =
  | { readonly kind: 'set'; readonly set: CharacterSet }
  | { readonly kind: 'sequence'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly options: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'assertion'; readonly what: Assertion }
  | { readonly kind: 'look'; readonly body: PatternNode }
  | { readonly kind: 'foreign'; readonly what: string }

/** What can be asked of the place between two characters. */
export type Assertion = 'start' | 'end' | 'word edge' | 'no word edge'
