import type { Decision, GrantRequest, OfferedScope, PermissionAnswer } from '../../core/approval.ts'
import { globOf, startOf } from '../../core/grant.ts'
import type { Grant, GrantScope } from '../../core/grant.ts'
import { placesIn } from '../../core/text/secrets/places.ts'
import { redactForRecord } from '../../core/text/secrets/redact.ts'
import { readPermission } from '../../policy/grants/answer.ts'
import type { Permission, Witness } from '../../policy/grants/answer.ts'
import { judgeExtraPaths } from '../plan/extra-paths.ts'
import { grantCallOf } from '../plan/grant-call.ts'
import type { Engine, Run } from '../engine.ts'
import { readCall } from '../plan/gather-facts.ts'
import { summarise } from '../plan/summarise.ts'
import type { Received } from '../step.ts'

/** A call that was asked about, with the scopes that its question offered. */
export interface AskedCall {
  readonly call: Received
  /** Whether the question was about what the call has changed already. */
  readonly isLanding: boolean
  readonly offered: readonly OfferedScope[]
}

/**
 * Makes a grant from an answer that requests one. The grant is recorded before the answer counts; a request that does
 * not fit the call approves nothing. The grant is known by its question: if the process dies before the answer is
 * recorded, giving the answer again replaces the grant instead of making a second one.
 */
export function makeGrant(
  decision: Decision,
  { approval, ...asked }: AskedCall & { readonly approval: string },
  run: Run,
): Decision {
  const { engine } = run
  const { isApproved, wish: request, actor, ...rest } = decision
  if (!isApproved || request === undefined) return decision
  const by = actor ?? run.actor
  const permission = checkGrantRequest(request, asked, { id: approval, by: by?.id ?? 'a person' }, engine)
  if (!permission.ok) return { ...rest, isApproved: false, actor, refusal: 'unclear', say: permission.why }
  if (permission.grant === null) return decision
  const { grant: made } = permission
  const grant = {
    ...made,
    sentence: redactForRecord(made.sentence, globOf(made.scope)),
    ...(made.scope.kind === 'arguments' ? summaryOf(asked.call, engine) : {}),
  }
  engine.grants.add(grant)
  noteGrant(grant, asked.call.execution, run)
  return { ...rest, isApproved, actor, grant: grant.id }
}

/** What a call does, for the list of grants: the digest of its arguments says nothing to a person. */
function summaryOf(call: Received, { registry, settings }: Engine): Pick<Grant, 'shows'> {
  const tool = registry.find(call.name)
  return tool === null ? {} : { shows: redactForRecord(summarise(tool, call, settings), placesIn(call.args)) }
}

/** The grant that an answer made, as the end of a sentence. */
export function grantSuffix({ grant }: Decision): string {
  return grant === undefined ? '' : `, and similar calls by grant ${grant}`
}

/** Covers nothing: for a question that did not offer its arguments. */
export const NO_ARGUMENTS: GrantScope = { kind: 'arguments', digest: '' }

/**
 * The grant that a request would make, or why it cannot; nothing is stored. Of a landing nobody sees what other arguments
 * would change, so a yes for a time covers the same arguments there.
 */
export function checkGrantRequest(
  { scope: named, seconds }: GrantRequest,
  { call, offered, isLanding }: AskedCall,
  { id, by }: Pick<Witness, 'id' | 'by'>,
  engine: Engine,
): Permission {
  const tool = engine.registry.find(call.name)
  if (tool === null) return { ok: false, why: 'the tool no longer exists' }
  // A gate of the user's own looks at each call anew, so its question is answered for this once.
  if (offered.length === 0) return { ok: false, why: 'it can only be allowed this once' }
  const reading = readCall(tool, call, engine)
  if (reading.argumentProblems.length > 0 || reading.argumentError !== null)
    return { ok: false, why: 'the arguments of the call are invalid' }
  if (tool.foreign?.isPassing === true && seconds === null)
    return {
      ok: false,
      why: 'the tool ends with the program that brought it, so it can be allowed for a time only',
    }
  const isTooWide = isLanding && named.kind === 'tool'
  if (isTooWide && seconds === null)
    return {
      ok: false,
      why: 'what a command changed cannot be allowed whatever its arguments; allow it with exactly its arguments instead',
    }
  const scope = isTooWide ? (argumentsScope({ offered }) ?? NO_ARGUMENTS) : named
  const answer: PermissionAnswer =
    seconds === null ? { answer: 'scope', scope } : { answer: 'duration', seconds, scope }
  const start = offered.map((one) => startOf(one.scope)).find((one) => one !== null) ?? null
  const extraPaths = judgeExtraPaths(reading.tool?.extraAccess ?? null, engine)
  // What confines a command is bound as the question showed it, whatever holds where the answer is given.
  const { confined: _here, ...asked } = grantCallOf(tool, call, { ...reading, extraPaths }, start, engine)
  const confined = offered.find((one) => one.confined !== undefined)?.confined
  return readPermission(
    answer,
    { ...asked, ...(confined === undefined ? {} : { confined }) },
    { id, by, now: engine.clock.now() },
  )
}

/** The scope that covers exactly the arguments of a call, as its question offered it; null if it did not. */
export function argumentsScope({ offered }: Pick<AskedCall, 'offered'>): GrantScope | null {
  return offered.find(({ scope }) => scope.kind === 'arguments')?.scope ?? null
}

/** Records a grant in the log of the call it was given for. */
export function noteGrant(grant: Grant, execution: string, { log }: Run): void {
  const { id, tool, sentence, granted_by, granted_at, expires_at } = grant
  const data = { grant: id, tool, sentence, granted_by, granted_at, expires_at }
  log.append({ entries: [{ kind: 'note', about: 'granted', execution, data }], reliance: 'recorded' })
}
