import { APPROVAL_GATE, judge } from '../../policy/judge.ts'
import type { Grant } from '../../core/grant.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import type { Transaction } from '../../workspace/workspace.ts'
import type { Engine, Run } from '../engine.ts'
import { grantCallOf } from '../plan/grant-call.ts'
import type { Step } from '../step.ts'
import type { ReadyAttempt } from './ready-attempt.ts'

const SHOWN_CHARS = 100

/** A path that is staged, as grants see it; null is a folder. */
interface StagedPath {
  readonly path: string
  readonly forGrants: string | null
}

/**
 * Judges a call that runs under a grant for paths once more, by what it has staged: the paths that it claimed are only
 * what its tool said beforehand.
 */
export function judgeStaged(
  { step, consent }: Pick<ReadyAttempt, 'step' | 'consent'>,
  transaction: Transaction,
  { engine }: Run,
): Pick<ReadyAttempt, 'step' | 'consent'> {
  const { call, tool, facts, judgement } = step
  const { grant } = judgement
  if (consent.is !== 'given' || grant?.scope.kind !== 'path' || tool === null) return { step, consent }
  const claimed = new Set(facts.claims.map(({ resolved }) => resolved))
  const others = stagedPaths(transaction, engine).filter(({ path }) => !claimed.has(path))
  if (others.length === 0) return { step, consent }
  const found = engine.grants.find(tool.name, () => {
    const described = grantCallOf(tool, call, facts, null, engine)
    return { ...described, paths: [...described.paths, ...others.map(({ forGrants }) => forGrants)] }
  })
  if (found.grant === grant) return { step, consent }
  const beyond = { ...facts, ...found, changedStart: explain(grant, others) }
  const approvals = judgement.findings.filter(({ gate }) => gate === APPROVAL_GATE)
  const again = judge(beyond, engine.settings, { cache: engine.findings })
  const judged: Step = {
    ...step,
    facts: beyond,
    judgement: { ...again, findings: [...again.findings, ...approvals] },
  }
  return { step: judged, consent: again.verdict === 'run' ? consent : { is: 'due' } }
}

function stagedPaths(transaction: Transaction, { workspace }: Engine): readonly StagedPath[] {
  return (transaction.prepare()?.changes ?? []).map(({ root, path: rel, before, after }) => {
    const path = root === workspace.roots[0] ? rel : `${root}/${rel}`
    return { path, forGrants: (after ?? before)?.kind === 'folder' ? null : path }
  })
}

function explain(grant: Grant, others: readonly StagedPath[]): string {
  const names = others.slice(0, 3).map(({ path }) => JSON.stringify(elideMiddle(path, SHOWN_CHARS)))
  const more = others.length > names.length ? ` and ${others.length - names.length} more` : ''
  const glob = grant.scope.kind === 'path' ? grant.scope.glob : ''
  return `grant ${grant.id} covers paths that match ${glob}; without having said so, the call changes ${names.join(', ')}${more}`
}
