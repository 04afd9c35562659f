import { APPROVAL_GATE, judge } from '../../policy/judge.ts'
import type { Grant } from '../../core/grant.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import type { Transaction } from '../../workspace/workspace.ts'
import type { Engine, Run } from '../engine.ts'
import { grantCallOf, grantedStart } from '../plan/grant-call.ts'
import type { Step } from '../step.ts'
import type { ReadyAttempt } from './ready-attempt.ts'

const SHOWN_CHARS = 100

/** A call that has run, and what must still be approved of it. */
type Judged = Pick<ReadyAttempt, 'step' | 'consent'>

/** A path that is staged, as grants see it; null is a folder. */
interface StagedPath {
  readonly path: string
  readonly forGrants: string | null
}

/**
 * Judges a call that runs under a grant once more: if the grant no longer counts, and, if it is for paths, by what the
 * call has staged, because the paths that it claimed are only what its tool said beforehand.
 */
export function judgeStaged(judged: Judged, transaction: Transaction, { engine }: Run): Judged {
  const { step, consent } = judged
  if (consent.is !== 'given' || consent.grant === undefined) return judged
  const { grant } = consent
  const others = grant.scope.kind === 'path' ? unclaimedPaths(step, transaction, engine) : []
  if (!engine.grants.stands(grant)) {
    const isEmpty = stagedPaths(transaction, engine).length === 0 && transaction.stored().size === 0
    return isEmpty ? { step, consent: { is: 'given' } } : judgeAnew(judged, others, sayEnded(grant), engine)
  }
  return others.length === 0 ? judged : judgeAnew(judged, others, explain(grant, others), engine)
}

/** Judges a call once more if the grant that its landing rests on no longer counts. */
export function judgeEnded<T extends Judged>(judged: T, { engine }: Run): T {
  const { consent } = judged
  if (consent.is !== 'given' || consent.grant === undefined || engine.grants.stands(consent.grant))
    return judged
  return { ...judged, ...judgeAnew(judged, [], sayEnded(consent.grant), engine) }
}

/** Judges a call by the grants as they are now. */
function judgeAnew(
  { step, consent }: Judged,
  others: readonly StagedPath[],
  changedStart: string,
  engine: Engine,
): Judged {
  const { call, tool, facts, judgement } = step
  if (tool === null) return { step, consent }
  const found = engine.grants.find(tool.name, () => {
    const start = grantedStart(engine.grants.starts.get(call), engine)
    const described = grantCallOf(tool, call, facts, start, engine)
    return { ...described, paths: [...described.paths, ...others.map(({ forGrants }) => forGrants)] }
  })
  const beyond = { ...facts, ...found, changedStart }
  const approvals = judgement.findings.filter(({ gate }) => gate === APPROVAL_GATE)
  const again = judge(beyond, engine.settings, { cache: engine.findings })
  const judged: Step = {
    ...step,
    facts: beyond,
    judgement: { ...again, findings: [...again.findings, ...approvals] },
  }
  const isGiven = again.verdict === 'run' && again.asksAtLanding !== true
  if (!isGiven) return { step: judged, consent: { is: 'due' } }
  const { grant } = again
  return { step: judged, consent: grant === undefined ? { is: 'given' } : { is: 'given', grant } }
}

function unclaimedPaths({ facts }: Step, transaction: Transaction, engine: Engine): readonly StagedPath[] {
  const claimed = new Set(facts.claims.map(({ resolved }) => resolved))
  return stagedPaths(transaction, engine).filter(({ path }) => !claimed.has(path))
}

function stagedPaths(transaction: Transaction, { workspace }: Engine): readonly StagedPath[] {
  return (transaction.prepare()?.changes ?? []).map(({ root, path: rel, before, after }) => {
    const path = root === workspace.roots[0] ? rel : `${root}/${rel}`
    return { path, forGrants: (after ?? before)?.kind === 'folder' ? null : path }
  })
}

function sayEnded({ id }: Grant): string {
  return `grant ${id}, under which the call ran, no longer counts`
}

function explain(grant: Grant, others: readonly StagedPath[]): string {
  const names = others.slice(0, 3).map(({ path }) => JSON.stringify(elideMiddle(path, SHOWN_CHARS)))
  const more = others.length > names.length ? ` and ${others.length - names.length} more` : ''
  const glob = grant.scope.kind === 'path' ? grant.scope.glob : ''
  return `grant ${grant.id} covers paths that match ${glob}; without having said so, the call changes ${names.join(', ')}${more}`
}
