import type { GateSetting } from '../../config/kinds/gates-kind.ts'
import type { GateAnswer, GateReply } from '../../policy/external/gate-answer.ts'
import type { Received } from '../step.ts'

/** Runs the programs of configured gates, and caches their answers. */
export interface GateRunner {
  readonly ask: (gate: GateSetting, input: string, signal: AbortSignal) => Promise<GateReply>
  /** The answers about a call so far; the caller of `ask` fills it. */
  readonly answered: WeakMap<Received, GateAnswers>
}

/** What gates answered about a call, and the input they were given. */
export interface GateAnswers {
  readonly input: string
  readonly answers: readonly GateAnswer[]
}
