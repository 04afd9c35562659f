import type { Grant } from '../../core/grant.ts'
import { memoizeLast } from '../../core/memoize.ts'
import type { CallFacts } from '../facts.ts'
import { ask } from '../gates/gate.ts'
import type { Verdict } from '../gates/gate.ts'

const passByGrant = memoizeLast((why: string, grant: Grant): Verdict => ({
  is: 'pass',
  fact: `${why}; allowed by grant ${grant.id}: ${grant.sentence}`,
  grant,
}))

/** A standing grant is an answer that was given beforehand; without one a person has to be asked. */
export function askUnlessGranted(
  { grant, ignoredGrants }: Pick<CallFacts, 'grant' | 'ignoredGrants'>,
  why: string,
): Verdict {
  if (grant !== null) return passByGrant(why, grant)
  if (ignoredGrants === 0) return ask(why)
  const many = ignoredGrants === 1 ? 'a grant for it is' : `${ignoredGrants} grants for it are`
  return ask(`${why} (${many} ignored, because the record was changed from outside; see tongs grants)`)
}
