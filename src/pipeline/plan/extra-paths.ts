import type { ExtraAccess } from '../../core/powers.ts'
import type { ExtraPathFact } from '../../policy/facts.ts'
import type { Engine } from '../engine.ts'

/** The paths that a call wants for its command beyond the sandbox, with why it cannot have them. */
export function judgeExtraPaths(extraAccess: ExtraAccess | null, engine: Engine): readonly ExtraPathFact[] {
  if (extraAccess === null) return NONE
  const judgeEach = (paths: readonly string[], intent: 'read' | 'write'): readonly ExtraPathFact[] =>
    paths.map((path) => ({ path, error: engine.shell.judgePath(path, intent) }))
  return [...judgeEach(extraAccess.read, 'read'), ...judgeEach(extraAccess.write, 'write')]
}

const NONE: readonly ExtraPathFact[] = []
