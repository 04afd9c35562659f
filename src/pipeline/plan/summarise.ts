import { SUMMARY_CHARS } from '../../config/fixed-values.ts'
import type { Settings } from '../../config/keys.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { placesIn } from '../../core/text/secrets/places.ts'
import { redactForApproval } from '../../core/text/secrets/redact.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import type { Tool } from '../../core/tool.ts'
import type { Received } from '../step.ts'

/**
 * What a call would do, in one line that is safe to show. Both ends of a long line matter, so its middle is elided. `names`
 * are those of files, which are shown whatever they look like.
 */
export function summarise(
  tool: Tool,
  call: Pick<Received, 'args' | 'meta'>,
  settings: Settings,
  names: readonly string[] = [],
): string {
  const folder = folderBeside(tool, call)
  const what = tool.summary(call.args, settings)
  const places = [...placesIn(call.args), ...names]
  const shown = redactForApproval(folder === null ? what : `In ${folder}: ${what}`, {
    places: folder === null ? places : [...places, folder],
  })
  const visible = sanitise(shown, { oneLine: true, showSequences: true })
  return elideMiddle(visible, SUMMARY_CHARS)
}

/** The folder in which a call starts, if it names one and its arguments do not say it; null otherwise. */
export function folderBeside({ rebase }: Tool, { meta: { cwd } }: Pick<Received, 'meta'>): string | null {
  return cwd !== undefined && rebase === null ? cwd : null
}
