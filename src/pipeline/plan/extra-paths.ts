import type { Wishes } from '../../core/powers.ts'
import type { WishFact } from '../../policy/facts.ts'
import type { House } from '../engine.ts'

/** The paths that a call wants for its command beyond the sandbox, with why it cannot have them. */
export function judgeWishes(wishes: Wishes | null, house: House): readonly WishFact[] {
  if (wishes === null) return NONE
  const judgeEach = (paths: readonly string[], intent: 'read' | 'write'): readonly WishFact[] =>
    paths.map((path) => ({ path, error: house.shell.judgePath(path, intent) }))
  return [...judgeEach(wishes.read, 'read'), ...judgeEach(wishes.write, 'write')]
}

const NONE: readonly WishFact[] = []
