import type { AppSession } from './app-session.ts'
import { nextOpened } from './draw/draw-call.ts'
import type { ExpandedRows } from './draw/draw-transcript.ts'
import { writeTypedCall } from './input/typed-call.ts'
import type { SessionOffer } from './last-session.ts'
import { callsOf } from './view/view.ts'
import type { CallBlock } from './view/view.ts'

/** Longer lines are left out of the history. */
const LONGEST_LINE = 2_000

/** The state of the app: its session, and what the user has expanded, selected and queued. */
export interface AppState {
  session: AppSession
  expanded: ExpandedRows
  isShowingTasks: boolean
  /** The command sandbox in words; null until it was checked. */
  sandbox: string | null
  /** Shown in the status row for a moment. */
  hint: string | null
  /** Stops waiting for a session that another process owns, or for the key of its model; null if not waiting. */
  stopWaiting: (() => void) | null
  /** Lines typed since the app was opened, oldest first. */
  typed: readonly string[]
  /** Lines that wait until the current work has ended. */
  queue: readonly string[]
  /** The session that Enter continues as long as nothing else was done; null if none is offered. */
  offer: SessionOffer | null
  /** Whether an interruption is still undecided. */
  isUndecided: boolean
  isQuitting: boolean
}

/** The initial state. */
export function freshState(session: AppSession): AppState {
  return {
    session,
    expanded: { opened: new Map(), selected: null },
    isShowingTasks: false,
    sandbox: null,
    hint: null,
    stopWaiting: null,
    typed: [],
    queue: [],
    offer: null,
    isUndecided: false,
    isQuitting: false,
  }
}

/** The selected call, or else the last one. */
export function chosenCall({ session, expanded }: AppState): CallBlock | null {
  const calls = callsOf(session.view())
  return calls.find(({ key }) => key === expanded.selected) ?? calls.at(-1) ?? null
}

/** Earlier input of the session, oldest first, as far as it can be typed again. */
export function typedBefore({ session }: Pick<AppState, 'session'>): readonly string[] {
  return session.view().blocks.flatMap((block) => {
    if (block.kind === 'said') return [block.text]
    if (block.kind !== 'call' || block.origin !== 'person' || block.args === null) return []
    const line = writeTypedCall({ name: block.name, args: block.args })
    return line.length > LONGEST_LINE ? [] : [line]
  })
}

/** Opens a call further, or closes it. */
export function openFurther(state: AppState, call: CallBlock): void {
  const next = nextOpened(call, state.expanded.opened.get(call.key) ?? 'closed')
  state.expanded = { ...state.expanded, opened: new Map([...state.expanded.opened, [call.key, next]]) }
}

/** Selects a call and opens it to all of its result. */
export function openCall(state: AppState, { key }: CallBlock): void {
  state.expanded = { selected: key, opened: new Map([...state.expanded.opened, [key, 'result']]) }
}

/** Selects the previous or next call; after the last one none is selected. */
export function chooseCall(state: AppState, step: -1 | 1): void {
  const calls = callsOf(state.session.view())
  const at = calls.findIndex(({ key }) => key === state.expanded.selected)
  const next = at === -1 ? (step === -1 ? calls.length - 1 : calls.length) : at + step
  const selected = next < 0 ? (calls[0]?.key ?? null) : (calls[next]?.key ?? null)
  state.expanded = { ...state.expanded, selected }
}
