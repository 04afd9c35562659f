import type { Clock } from '../core/clock.ts'
import { sanitise } from '../core/text/display/sanitise.ts'
import { redactSecrets } from '../core/text/secrets/redact.ts'
import { ellipsis } from '../core/text/truncate.ts'
import type { CallContext } from '../core/tool.ts'
import type { ReportedProgress } from './connect.ts'

/** The least time between two lines. */
const REST_MS = 100
const MOST_LINES = 500
const MOST_CHARS = 200

/** Shows what a server reports about a running call as lines of its output: made safe, cut, and not too many of them. */
export function showProgress(
  { emit }: Pick<CallContext, 'emit'>,
  { clock, secrets }: { readonly clock: Clock; readonly secrets: readonly string[] },
): (progress: ReportedProgress) => void {
  let lines = 0
  let shownAt = -Infinity
  return (reported) => {
    const at = clock.elapsed()
    if (lines >= MOST_LINES || at - shownAt < REST_MS) return
    lines += 1
    shownAt = at
    emit('stdout', `${describe(reported, secrets)}\n`)
  }
}

function describe({ progress, total, message = '' }: ReportedProgress, secrets: readonly string[]): string {
  const count = total === undefined ? `${progress}` : `${progress} of ${total}`
  // A little more than is shown, so that a sequence or a secret at the end is still recognised.
  const words = redactSecrets(sanitise(message.slice(0, MOST_CHARS * 4), { oneLine: true }), secrets)
  return ellipsis(words === '' ? count : `${count}: ${words}`, MOST_CHARS)
}
