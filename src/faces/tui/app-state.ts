import type { AppSession } from './app-session.ts'
import type { ExpandedRows } from './draw/draw-transcript.ts'
import { callsOf } from './view/view.ts'
import type { CallBlock } from './view/view.ts'

/** Longer lines are not offered again. */
const LONGEST_LINE = 2_000

/** What the app knows beside its session: what a person has opened, chosen and typed ahead. */
export interface AppState {
  session: AppSession
  expanded: ExpandedRows
  isShowingTasks: boolean
  /** What confines commands, in words; null while nobody has looked. */
  sandbox: string | null
  /** Something to say for a moment. */
  hint: string | null
  /** Ends the waiting for a session that another process owns; null where none is waited for. */
  stopWaiting: (() => void) | null
  /** Lines typed while something was going on. */
  queue: readonly string[]
  /** Whether something was interrupted and nobody has decided about it. */
  isUndecided: boolean
  isQuitting: boolean
}

/** What an app remembers when it has just been opened. */
export function freshState(session: AppSession): AppState {
  return {
    session,
    expanded: { opened: new Set(), selected: null },
    isShowingTasks: false,
    sandbox: null,
    hint: null,
    stopWaiting: null,
    queue: [],
    isUndecided: false,
    isQuitting: false,
  }
}

/** The call that is chosen, or else the last one. */
export function chosenCall({ session, expanded }: AppState): CallBlock | null {
  const calls = callsOf(session.view())
  return calls.find(({ key }) => key === expanded.selected) ?? calls.at(-1) ?? null
}

/** What was typed in a session before, oldest first, as far as it can be typed again. */
export function typedBefore({ session }: AppState): readonly string[] {
  return session.view().blocks.flatMap((block) => {
    if (block.kind === 'said') return [block.text]
    if (block.kind !== 'call' || block.origin !== 'person' || block.args === null) return []
    const line = `${block.name} ${JSON.stringify(block.args)}`
    return line.length > LONGEST_LINE ? [] : [line]
  })
}

/** Opens or closes what there is to see of a call. */
export function toggleCall(state: AppState, key: string): void {
  const opened = new Set(state.expanded.opened)
  if (!opened.delete(key)) opened.add(key)
  state.expanded = { ...state.expanded, opened }
}

/** Chooses the call before or after the chosen one; after the last one none is chosen. */
export function chooseCall(state: AppState, step: -1 | 1): void {
  const calls = callsOf(state.session.view())
  const at = calls.findIndex(({ key }) => key === state.expanded.selected)
  const next = at === -1 ? (step === -1 ? calls.length - 1 : calls.length) : at + step
  const selected = next < 0 ? (calls[0]?.key ?? null) : (calls[next]?.key ?? null)
  state.expanded = { ...state.expanded, selected }
}
