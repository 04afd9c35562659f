import { sanitise } from '../core/text/display/sanitise.ts'
import { showPath } from '../core/text/display/show-path.ts'
import { redactForApproval } from '../core/text/secrets/redact.ts'

/** Text of a call on one line: nothing dropped or hidden, secrets removed, but none of the paths in `places`. */
export function oneLine(text: string, places: readonly string[] = []): string {
  return visible(redactForApproval(text, { places }))
}

/** Drops nothing, because the approver agrees to all of it. */
export function visible(text: string): string {
  return sanitise(text, { oneLine: true, showSequences: true })
}

/** The name of a file in a row of a question: whole, and in quotes if it could pass for a part of the row. */
export function showPlace(path: string): string {
  const shown = showPath(path)
  return oneLine(shown, [path, shown])
}
