import type { GrantRequest } from '../../core/approval.ts'
import type { GrantScope } from '../../core/grant.ts'

/** The grant of an answer as options of `decide`. */
export function grantOptions(request: GrantRequest | undefined): {
  readonly scope?: GrantScope
  readonly seconds?: number
} {
  if (request === undefined) return {}
  return request.seconds === null
    ? { scope: request.scope }
    : { scope: request.scope, seconds: request.seconds }
}
