import type { PermissionAnswer } from '../../core/approval.ts'
import { parseGlob } from '../../core/glob/glob.ts'
import { argumentsScope, compileCover, prepareCall, toolScope } from './cover.ts'
import type { GrantCall } from './cover.ts'
import { isHarmless } from '../../core/command/harmless/harmless-commands.ts'
import { describeAllowance, startOf } from '../../core/grant.ts'
import type { Grant, GrantScope } from '../../core/grant.ts'

/** What an answer means: whether the call may run, and the resulting grant, if any. */
export type Permission =
  | {
      readonly ok: true
      readonly isApproved: boolean
      readonly say: string | null
      readonly grant: Grant | null
    }
  /** The answer is not valid and approves nothing. */
  | { readonly ok: false; readonly why: string }

/** Who answered, when, and the id a grant would have. */
export interface Witness {
  readonly id: string
  readonly by: string
  /** Epoch milliseconds. */
  readonly now: number
}

const LONGEST_SECONDS = 10 * 365 * 86_400

/**
 * Reads an answer. Only an answer that asks for it becomes a grant; approving once or denying leaves nothing behind.
 */
export function readPermission(answer: PermissionAnswer, call: GrantCall, witness: Witness): Permission {
  if (answer.answer === 'deny') return { ok: true, isApproved: false, say: answer.say ?? null, grant: null }
  if (answer.answer === 'once') return { ok: true, isApproved: true, say: null, grant: null }
  const named = answer.scope ?? { kind: 'tool' }
  const scope = bindToStart(named, call)
  const fault = findScopeFault(scope) ?? (answer.answer === 'duration' ? findTimeFault(answer.seconds) : null)
  if (fault !== null) return { ok: false, why: fault }
  if (!compileCover(scope)(prepareCall(call)))
    return { ok: false, why: 'the scope does not cover the call that was asked about' }
  const expires_at = answer.answer === 'duration' ? witness.now + Math.ceil(answer.seconds * 1000) : null
  const grant: Grant = {
    id: witness.id,
    tool: call.tool,
    scope,
    sentence: describeAllowance(call.tool, scope, call.usual?.says),
    granted_by: witness.by,
    granted_at: witness.now,
    expires_at,
    used: 0,
    revoked_at: null,
    ...(call.version === undefined ? {} : { version: call.version }),
    ...(call.confined === undefined ? {} : { confined: call.confined }),
  }
  return { ok: true, isApproved: true, say: null, grant }
}

/** A scope as it is meant: an answer need not say what is started, and a tool that goes to the web is allowed by origin. */
function bindToStart(scope: GrantScope, call: GrantCall): GrantScope {
  if (startOf(scope) !== null) return scope
  if (scope.kind === 'tool') return toolScope(call)
  return scope.kind === 'arguments' ? argumentsScope(call, scope.digest) : scope
}

/** What is wrong with a scope, as the end of a sentence, or null. */
export function findScopeFault(scope: GrantScope): string | null {
  if (scope.kind === 'path') {
    const parsed = parseGlob(scope.glob)
    return parsed.ok ? null : `the path pattern is not understood: ${parsed.message}`
  }
  if (scope.kind === 'arguments') return scope.digest === '' ? 'the arguments are not named' : null
  if (scope.kind === 'tool') return null
  if (scope.kind === 'origin') return scope.origin === '' ? 'the origin is not named' : null
  if (scope.kind === 'values') return 'a question about a call does not decide about values'
  if (scope.words.length === 0 || scope.words[0] === '') return 'the command has no words'
  if (isHarmless(scope.words)) return null
  return 'what follows these words decides what the command does; allow it with exactly its arguments instead'
}

function findTimeFault(seconds: number): string | null {
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= LONGEST_SECONDS) return null
  return 'the duration has to be a number of seconds, more than none and at most ten years'
}
