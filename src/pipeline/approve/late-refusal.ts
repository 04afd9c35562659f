import type { ToolError } from '../../core/error.ts'
import { ToolFailure } from '../../core/error.ts'
import { refuse } from '../step.ts'
import type { Step } from '../step.ts'

/** A refusal of what a call has already done, thrown together with the finding that belongs on its record. */
export class LateRefusal extends ToolFailure {
  readonly #denied: Step

  private constructor(error: ToolError, denied: Step) {
    super(error)
    this.#denied = denied
  }

  /** The refusal of a step by the answer about it. */
  static of(step: Step, error: ToolError): LateRefusal {
    const denied = refuse(step, error)
    return new LateRefusal(denied.judgement.error ?? error, denied)
  }

  /** The same refusal, worded differently for the model. */
  reword(error: ToolError): LateRefusal {
    return new LateRefusal(error, this.#denied)
  }

  /** Adds the finding to the record of the call. */
  noteIn(step: Step): Step {
    const { findings } = this.#denied.judgement
    return { ...step, judgement: { ...step.judgement, findings } }
  }
}
