import { canonicalJson } from '../../core/json/canonical.ts'
import type { Engine } from '../engine.ts'
import type { Step } from '../step.ts'
import { confinementOf } from './offer.ts'

/** What was approved for a call: the answer covers exactly what was shown. */
export interface Agreement {
  readonly binding: string
  /** Whether the change itself was shown; if not, only the call was approved, where its paths led and what confined it. */
  readonly isShown: boolean
}

/** The digest of what an approval covers: this tool, version, arguments and change, these places, and this confinement. */
export function bindingOf({ call, tool, facts }: Step, diff: string | null, engine: Engine): string {
  const places = facts.claims.map(({ absolute }) => absolute)
  const { rung, limits = null } = confinementOf(facts)
  return engine.digest(
    canonicalJson({
      tool: call.name,
      version: tool?.version ?? null,
      args: call.args,
      diff,
      places,
      rung,
      limits,
    }),
  )
}

/** Whether a call, with the change that is staged for it, is what was approved. */
export function isAgreed(
  { binding, isShown }: Agreement,
  step: Step,
  staged: { readonly diff: () => string; readonly engine: Engine },
): boolean {
  return bindingOf(step, isShown ? staged.diff() : null, staged.engine) === binding
}
