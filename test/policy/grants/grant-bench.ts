import { compileCover, prepareCall } from '../../../src/policy/grants/cover.ts'
import type { GrantCall } from '../../../src/policy/grants/cover.ts'
import type { Grant, GrantScope } from '../../../src/core/grant.ts'

export function grantOf(scope: GrantScope, more: Partial<Grant> = {}): Grant {
  const fate = { granted_by: 'ada', granted_at: 1000, expires_at: null, used: 0, revoked_at: null }
  return { id: 'g1', tool: 'write_file', scope, sentence: 's', ...fate, ...more }
}

export function callOf(more: Partial<GrantCall> = {}): GrantCall {
  return { tool: 'write_file', argsDigest: 'd0', paths: ['src/a.ts'], command: null, ...more }
}

export const line = (text: string): GrantCall => callOf({ paths: [], command: { kind: 'line', text } })
export const argv = (...words: readonly string[]): GrantCall =>
  callOf({ paths: [], command: { kind: 'words', words } })
export const covers = (scope: GrantScope, call: GrantCall): boolean => compileCover(scope)(prepareCall(call))
