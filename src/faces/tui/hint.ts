import type { AppState } from './app-state.ts'

const HINT_MS = 2_500

/** Makes what says something in the last row for a moment. */
export function createHint(state: AppState, redraw: () => void): (hint: string) => void {
  let timer: NodeJS.Timeout | undefined
  return (hint) => {
    state.hint = hint
    clearTimeout(timer)
    timer = setTimeout(() => {
      state.hint = null
      redraw()
    }, HINT_MS).unref()
    redraw()
  }
}
