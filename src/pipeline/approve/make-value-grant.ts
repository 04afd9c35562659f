import type { ApprovalRequest, Decision } from '../../core/approval.ts'
import { describeAllowance } from '../../core/grant.ts'
import type { Grant } from '../../core/grant.ts'
import type { Run } from '../engine.ts'
import { noteGrant } from './make-grant.ts'

/**
 * Remembers that values of a result are not secrets, if the answer requests it. Only exactly what the question offered
 * can be remembered; any other request approves nothing.
 */
export function makeValueGrant(decision: Decision, request: ApprovalRequest, run: Run): Decision {
  const { isApproved, wish, actor, ...rest } = decision
  if (!isApproved || wish === undefined) return decision
  const { scope, seconds } = wish
  const isOffered = request.scopes.some((offered) => JSON.stringify(offered.scope) === JSON.stringify(scope))
  if (scope.kind !== 'values' || !isOffered)
    return { ...rest, isApproved: false, actor, refusal: 'unclear', say: 'this was not offered' }
  const now = run.engine.clock.now()
  const grant: Grant = {
    id: request.id,
    tool: request.call.name,
    scope,
    sentence: describeAllowance(request.call.name, scope),
    granted_by: (actor ?? run.actor)?.id ?? 'a person',
    granted_at: now,
    expires_at: seconds === null ? null : now + Math.ceil(seconds * 1000),
    used: 0,
    revoked_at: null,
  }
  run.engine.grants.add(grant)
  noteGrant(grant, request.execution, run)
  return { ...rest, isApproved, actor, grant: grant.id }
}
