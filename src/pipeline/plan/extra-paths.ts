import { withoutEndSlashes } from '../../core/text/trim-end.ts'
import type { ExtraAccess } from '../../core/powers.ts'
import type { ClaimFact, ExtraPathFact } from '../../policy/facts.ts'
import type { Engine } from '../engine.ts'

/** The paths outside the sandbox that a call requests for its command, each with the reason if it is refused. */
export function judgeExtraPaths(extraAccess: ExtraAccess | null, engine: Engine): readonly ExtraPathFact[] {
  if (extraAccess === null) return NO_PATHS
  const judgeEach = (paths: readonly string[], intent: 'read' | 'write'): readonly ExtraPathFact[] =>
    paths.map((path) => {
      const judged = engine.shell.judgePath(path, intent)
      if (!judged.ok) return { path, real: null, error: judged.error }
      return { path, real: judged.real, kind: judged.kind, error: null }
    })
  return [...judgeEach(extraAccess.read, 'read'), ...judgeEach(extraAccess.write, 'write')]
}

const NO_PATHS: readonly ExtraPathFact[] = []

/** Whether links make a requested path lead elsewhere than its name says. */
export function leadsElsewhere({ path, real }: Pick<ExtraPathFact, 'path' | 'real'>): boolean {
  const named = withoutEndSlashes(path)
  return real !== null && real !== named && !(named.startsWith('~/') && real.endsWith(named.slice(1)))
}

/** The paths of a call that lead elsewhere than their names say, each with the place; none in the usual case. */
export function placesElsewhere(
  claims: readonly ClaimFact[],
  extraPaths: readonly ExtraPathFact[],
): readonly (readonly [path: string, place: string])[] {
  return [
    ...claims.flatMap(({ claim: { path }, resolved, absolute }) =>
      resolved === null || [resolved, absolute].includes(plain(path)) ? [] : [[path, resolved] as const],
    ),
    ...extraPaths.flatMap(({ path, real }) =>
      real !== null && leadsElsewhere({ path, real }) ? [[path, real] as const] : [],
    ),
  ]
}

/** A path without what changes nothing about where it leads: empty parts and dots. */
function plain(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return path.startsWith('/') ? `/${parts.join('/')}` : parts.join('/') || '.'
}
