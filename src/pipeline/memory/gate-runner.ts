import type { GateSetting } from '../../config/kinds/gates-kind.ts'
import type { GateAnswer, GateReply } from '../../policy/external/gate-answer.ts'
import type { Received } from '../step.ts'

/** The programs behind configured gates, and what they have said so far. */
export interface GateRunner {
  readonly ask: (gate: GateSetting, input: string, signal: AbortSignal) => Promise<GateReply>
  /** What was heard about a call; whoever asks writes it there. */
  readonly heard: WeakMap<Received, GateAnswers>
}

/** What gates said about a call, and what they had been told. */
export interface GateAnswers {
  readonly input: string
  readonly answers: readonly GateAnswer[]
}
