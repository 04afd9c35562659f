import type { GateFinding, Judgement } from '../../policy/judge.ts'
import { receive } from '../parse/receive.ts'
import type { Run } from '../engine.ts'
import { planCalls } from '../plan/plan.ts'
import { prepareJudging } from '../plan/prepare-judging.ts'

/** What policy says about a call: it would run, somebody would be asked, or it is refused or cannot be done. */
export type PolicyVerdict = 'allowed' | 'ask' | 'denied' | 'failed'

/** The judgement of a call that nobody runs. */
export interface CheckedCall {
  /** None: nothing of it is on record. */
  readonly execution: null
  readonly id: string
  readonly name: string
  readonly verdict: PolicyVerdict
  /** The gate that settled it or wants somebody asked; for an allowed call the last one it passed. */
  readonly gate: string
  readonly gates: readonly GateFinding[]
  readonly error: string | null
  readonly message: string | null
  /** What would let it pass. */
  readonly satisfy: readonly string[]
}

const ASKING = 'Somebody approves it when it is made: at the terminal, or later with tongs approve.'

/** Judges calls as a batch that is never declared and never runs. */
export async function judgeOnly(calls: readonly unknown[], run: Run): Promise<readonly CheckedCall[]> {
  const { engine } = run
  const received = calls.map((call) => receive(call, engine.newId(), engine.digest))
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
