import { canonicalJson } from '../../core/json/canonical.ts'
import type { Tool } from '../../core/tool.ts'
import type { Engine } from '../engine.ts'
import type { Received } from '../step.ts'

/** What was agreed for a call: the answer counts for exactly what was shown. */
export interface Agreement {
  readonly binding: string
  /** Whether the change itself was shown; if not, the tool and its arguments are all that was agreed to. */
  readonly isShown: boolean
}

/** What an approval is given for: this tool in this version with these arguments, and this change. */
export function bindingOf(tool: Tool, call: Received, diff: string | null, engine: Engine): string {
  return engine.digest(canonicalJson({ tool: tool.name, version: tool.version, args: call.args, diff }))
}

/** Whether a call, with the change that is staged for it, is what was agreed to. */
export function isAgreed(
  { binding, isShown }: Agreement,
  tool: Tool,
  call: Received,
  staged: { readonly diff: () => string; readonly engine: Engine },
): boolean {
  return bindingOf(tool, call, isShown ? staged.diff() : null, staged.engine) === binding
}
