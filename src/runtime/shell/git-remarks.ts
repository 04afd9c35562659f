import { ToolFailure } from '../../core/error.ts'
import type { Layer } from '../../core/layer.ts'
import { toJsonLine } from '../../core/text/escape-json.ts'
import { elideMiddle } from '../../core/text/truncate.ts'
import { findPendingState, newSince } from '../../host/git/pending-state.ts'
import type { PendingState } from '../../host/git/pending-state.ts'
import { LIVE } from '../../host/git/path-view.ts'
import { viewThrough } from '../../host/layer/layer-paths.ts'
import { fromRoot } from '../../host/root/from-root.ts'

const MOST_LINES = 3
const MOST_STATES = 8
const LINE_CHARS = 120

/** Notes what makes git act later; the function it returns says what a command has added to it. */
export function watchPendingState(roots: readonly string[], layer: Layer | null): () => readonly string[] {
  const look = () => findPendingState(roots, layer === null ? LIVE : viewThrough(layer))
  const before = look()
  return () => {
    const now = lookOrExplain(look)
    if (typeof now === 'string') return [`What the command left for git cannot be told: ${now}.`]
    const found = newSince(before, now)
    const shown = found
      .slice(0, MOST_STATES)
      .map((state) => `The command left ${fromRoot(state.path, roots)}: ${explain(state)}.`)
    const rest = found.length - shown.length
    return rest > 0 ? [...shown, `It left ${rest} more of this kind.`] : shown
  }
}

/** A command that writes directly may have left git in a state that nobody can read. */
function lookOrExplain(look: () => readonly PendingState[]): readonly PendingState[] | string {
  try {
    return look()
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return thrown.message
    throw thrown
  }
}

/** What a person should know before another command runs: interrupted operations that would run something. */
export function remarkOnPendingState(roots: readonly string[]): readonly string[] {
  const found = lookOrExplain(() => findPendingState(roots, LIVE))
  if (typeof found === 'string') return [`What git would run here is not known: ${found}.`]
  return found
    .filter(({ runs }) => runs.length > 0)
    .slice(0, MOST_STATES)
    .map((state) => `${fromRoot(state.path, roots)} is there: ${explain(state)}.`)
}

function explain({ does, runs }: PendingState): string {
  if (runs.length === 0) return does
  const shown = runs.slice(0, MOST_LINES).map((line) => toJsonLine(elideMiddle(line, LINE_CHARS)))
  const rest = runs.length - shown.length
  return `${does}, and runs ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
