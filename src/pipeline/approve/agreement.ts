import { canonicalJson } from '../../core/json/canonical.ts'
import type { Tool } from '../../core/tool.ts'
import type { Engine } from '../engine.ts'
import type { Received } from '../step.ts'

/** What was approved for a call: the answer covers exactly what was shown. */
export interface Agreement {
  readonly binding: string
  /** Whether the change itself was shown; if not, only the tool and its arguments were approved. */
  readonly isShown: boolean
}

/** The digest of what an approval covers: this tool, version, arguments and change. */
export function bindingOf(tool: Tool, call: Received, diff: string | null, engine: Engine): string {
  return engine.digest(canonicalJson({ tool: tool.name, version: tool.version, args: call.args, diff }))
}

/** Whether a call, with the change that is staged for it, is what was approved. */
export function isAgreed(
  { binding, isShown }: Agreement,
  tool: Tool,
  call: Received,
  staged: { readonly diff: () => string; readonly engine: Engine },
): boolean {
  return bindingOf(tool, call, isShown ? staged.diff() : null, staged.engine) === binding
}
