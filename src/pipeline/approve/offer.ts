import type { ApprovalRequest, OfferedScope } from '../../core/approval.ts'
import { assessCommand } from '../../core/command/assess-command.ts'
import { redactForRecord } from '../../core/text/secrets/redact.ts'
import type { Tool } from '../../core/tool.ts'
import { nameExtraAccess } from '../../core/extra-access.ts'
import { externalGates } from '../../policy/external/external-gate.ts'
import type { CallFacts } from '../../policy/facts.ts'
import { offerScopes } from '../../policy/grants/offer-scopes.ts'
import { grantCallOf, grantedStart } from '../plan/grant-call.ts'
import type { Engine } from '../engine.ts'
import type { Preview } from '../execute/preview.ts'
import type { AskedQuestion, Digest } from '../../journal/entries/entry.ts'
import type { Step } from '../step.ts'

/** What a question contains besides the call itself and what is recorded by name. */
export type Offer = Omit<
  ApprovalRequest,
  'id' | 'session' | 'call' | 'execution' | 'about' | 'risk' | 'diff' | 'asked_at' | 'expires_at' | 'damaged'
>

/** Why a call is asked about, what would confine it, and which wider scopes may be granted. */
export function offerFor(
  { call, facts, judgement }: Step,
  { tool, preview }: { readonly tool: Tool; readonly preview: Preview },
  engine: Engine,
): Pick<Offer, 'why' | 'danger' | 'rung' | 'layer' | 'limits' | 'scopes' | 'passing'> {
  const start = grantedStart(preview.is === 'unknown' ? preview.starts : undefined, engine)
  const isLanding = preview.is === 'shown' && preview.landing !== undefined
  const offered = isAskedByGate(judgement) ? [] : offerScopes(grantCallOf(tool, call, facts, start, engine))
  return {
    why: whyAsked(judgement, isLanding),
    // What it did is shown instead.
    danger: isLanding ? null : findDanger(facts.tool),
    ...confinementOf(facts, tool),
    // Nobody sees here what other arguments would change.
    ...scopesFor(tool, isLanding ? offered.filter(({ scope }) => scope.kind !== 'tool') : offered),
  }
}

/** A grant is bound to the version of a foreign tool, so one for a passing tool ends with it: it is offered for a time only. */
function scopesFor(tool: Tool, offered: readonly OfferedScope[]): Pick<Offer, 'scopes' | 'passing'> {
  if (tool.foreign?.isPassing !== true) return { scopes: offered }
  const whole = offered.find(({ scope }) => scope.kind === 'tool')
  return { scopes: [], ...(whole === undefined ? {} : { passing: whole }) }
}

/** Everything that a question offers beyond this once. */
export function offeredIn({ scopes, passing }: Pick<Offer, 'scopes' | 'passing'>): readonly OfferedScope[] {
  return passing === undefined ? scopes : [...scopes, passing]
}

function whyAsked(
  { findings, verdict: decided, asksAtLanding }: Step['judgement'],
  isLanding: boolean,
): string {
  const facts = findings.flatMap(({ verdict, fact }) => (verdict === 'ask' ? [fact] : []))
  const isFirstOfTwo = !isLanding && decided === 'ask' && asksAtLanding === true
  return [...facts, ...(isFirstOfTwo ? [SECOND_QUESTION] : [])].join('; ')
}

const SECOND_QUESTION = 'this is about the run; what it changes is asked about before it lands'

/** Whether a yes to a question about a run covers what the run changes: not if a second question was announced. */
export function coversLanding({ why }: Pick<Offer, 'why'>): boolean {
  return !why.endsWith(SECOND_QUESTION)
}

/** An external gate asks every time, whatever is granted, so no grant is offered. */
function isAskedByGate({ findings }: Step['judgement']): boolean {
  return findings.some(({ gate, verdict }) => gate === externalGates.name && verdict === 'ask')
}

/** What would confine the command of a call, as a question shows it. */
export function confinementOf(
  facts: CallFacts,
  tool: Pick<Tool, 'foreign'> | null = null,
): Pick<Offer, 'rung' | 'layer' | 'limits'> {
  const limits = facts.shell?.holds === true ? facts.shell.limits : ''
  const layer = facts.shell?.holds === true ? { layer: facts.shell.layer } : {}
  const rung = describeLevel(facts) ?? tool?.foreign?.confinement ?? null
  return { rung, ...layer, ...(limits === '' ? {} : { limits }) }
}

/** The sandbox level of the command, and the extra access it requests. */
function describeLevel({ shell, tool }: CallFacts): string | null {
  if (shell === undefined || shell === null) return null
  if (!shell.holds) return 'not confined'
  const extraAccess = tool?.extraAccess ? [`it WANTS ${nameExtraAccess(tool.extraAccess)}`] : []
  return [shell.label, ...extraAccess].join('; ')
}

function findDanger(tool: CallFacts['tool']): string | null {
  if (tool === null || tool.command === null) return null
  const { risk, why } = assessCommand(tool.command, tool.isSandboxed)
  return risk === 'High' ? why : null
}

const utf8 = new TextDecoder()
const ERASED = '[erased]'

/** The offer of a waiting question; an erased one offers nothing. */
export function readOffer(bytes: Uint8Array | null): Offer {
  if (bytes === null) return { kind: 'call', summary: ERASED, why: '', danger: null, rung: null, scopes: [] }
  // Written by this pipeline and addressed by its digest; earlier versions asked about calls only.
  return { kind: 'call', summary: '', ...(JSON.parse(utf8.decode(bytes)) as Partial<Offer>) } as Offer
}

/** The line that a question was summed up in, as the log prints it, whichever version recorded it. */
export function summaryOf(
  { summary, offer }: AskedQuestion,
  payload: (digest: Digest) => Uint8Array | null,
): string {
  return redactForRecord(summary ?? readOffer(offer === undefined ? null : payload(offer)).summary)
}
