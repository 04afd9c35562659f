import type { GateFinding, Judgement } from '../../policy/judge.ts'
import { fromFolder } from '../parse/from-folder.ts'
import { receive } from '../parse/receive.ts'
import type { Run } from '../engine.ts'
import { planCalls } from '../plan/plan.ts'
import { prepareJudging } from '../plan/prepare-judging.ts'

/** The verdict of the policy on a call: it would run, the approver would be asked, or it is denied or fails. */
export type PolicyVerdict = 'allowed' | 'ask' | 'denied' | 'failed'

/** The judgement of a call that is not run. */
export interface CheckedCall {
  /** Always null, because the call is not recorded. */
  readonly execution: null
  readonly id: string
  readonly name: string
  readonly verdict: PolicyVerdict
  /** The gate that settled it or requires approval; for an allowed call, the last one it passed. */
  readonly gate: string
  readonly gates: readonly GateFinding[]
  readonly error: string | null
  readonly message: string | null
  /** What would let it pass. */
  readonly satisfy: readonly string[]
}

const ASKING = 'Approve it when the call is made: at the terminal, or later with tongs approve.'

/** Judges calls as a batch that is never recorded and never runs. */
export async function judgeOnly(calls: readonly unknown[], run: Run): Promise<readonly CheckedCall[]> {
  const { engine } = run
  const received = calls.map((call) => fromFolder(receive(call, engine.newId(), engine.digest), engine))
  await prepareJudging(received, run)
  return planCalls(received, run).map(({ call, judgement }) => {
    const { error, findings } = judgement
    return {
      execution: null,
      id: call.id,
      name: call.name,
      verdict: verdictOf(judgement),
      gate: decidingGate(findings)?.gate ?? '',
      gates: findings,
      error: error?.code ?? null,
      message: error?.message ?? null,
      satisfy: judgement.verdict === 'ask' ? [ASKING] : (error?.recovery ?? []),
    }
  })
}

/** A judgement in one word. */
export function verdictOf({ verdict, findings }: Pick<Judgement, 'verdict' | 'findings'>): PolicyVerdict {
  if (verdict === 'run') return 'allowed'
  if (verdict === 'ask') return 'ask'
  return findings.at(-1)?.verdict === 'fail' ? 'failed' : 'denied'
}

/** The finding that decided. */
export function decidingGate(findings: readonly GateFinding[]): GateFinding | undefined {
  const last = findings.at(-1)
  if (last?.verdict !== 'pass') return last
  return findings.find(({ verdict }) => verdict === 'ask') ?? last
}
