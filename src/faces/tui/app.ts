import type { AppOpening } from '../../terminal/app-opening.ts'
import { createParts } from './app-parts.ts'
import { createAppSession } from './app-session.ts'
import { chosenCall, typedBefore } from './app-state.ts'
import type { AppPowers } from './commands/app-command.ts'
import { runCommand } from './commands/command-list.ts'
import { findSandbox } from './start-facts.ts'
import { createAppCompletion } from './input/complete.ts'
import { createKeyHandler } from './input/handle-key.ts'
import { createKeyActions } from './input/key-actions.ts'
import { createSubmit } from './input/submit.ts'
import { guardScreen, sayFarewell, stopOnSignals } from './leave-app.ts'
import { chooseDisplayOptions } from './manner.ts'
import { openAppState } from './open-app-state.ts'
import { createScreen } from './screen.ts'
import { createSheetAskers } from './sheets/ask-on-sheet.ts'
import { createSheetStack } from './sheets/sheet.ts'
import type { AppState } from './app-state.ts'

/** Runs the app until it is left; gives the exit code. */
export async function runApp(opening: AppOpening, version: string): Promise<number> {
  // Nothing is drawn before there is a screen, and whoever tells of changes comes first.
  let draw: (() => void) | null = null
  const redraw = (): void => draw?.()
  const sheets = createSheetStack(redraw)
  const ask = createSheetAskers(sheets)
  const { promise: left, resolve: leave, reject: fail } = Promise.withResolvers<number>()
  const { state, hooks } = await openAppState(opening, ask, redraw)
  const { settings } = state.desk.runtime.configuration
  const manner = chooseDisplayOptions(settings, process.env)
  const parts = createParts(state, sheets, manner, version)
  const screen = createScreen(parts, manner)
  draw = screen.redraw

  const session = createAppSession(state, opening, hooks, ask)
  const { attempt } = session
  const sayHint = createHint(state, redraw)
  const quit = (): void => {
    state.isQuitting = true
    state.stopWaiting?.()
    state.desk.cancel()
    redraw()
    void state.desk.idle().then(() => leave(0))
  }
  const powers: AppPowers = {
    ...session,
    desk: () => state.desk,
    confirm: ask.confirmation,
    toggleTasks: () => {
      state.isShowingTasks = !state.isShowingTasks
      redraw()
    },
    chosenCall: () => chosenCall(state),
    quit,
  }

  const { editor } = screen
  editor.setAutocompleteProvider(createAppCompletion(state, powers, opening.stateDir))
  for (const line of typedBefore(state)) editor.addToHistory(line)
  const submit = createSubmit(state, powers, editor)
  editor.onSubmit = (text) => {
    screen.follow()
    void submit(text)
  }
  const actions = createKeyActions(state, session, screen, parts, sayHint)
  const explain = (): void => attempt(runCommand('/why', powers))
  const onKey = createKeyHandler(state, sheets, screen, actions, { explain, quit, say: sayHint })

  const release = stopOnSignals(state, leave)
  const unguard = guardScreen(fail)
  try {
    screen.start(onKey)
    void findSandbox(settings).then((found) => {
      state.sandbox = found
      redraw()
    })
    attempt(session.welcome())
    return await left
  } finally {
    release()
    unguard()
    await screen.stop()
    await state.desk.close()
    process.stdout.write(sayFarewell(state))
  }
}

const HINT_MS = 2_500

/** Makes what says something in the last row for a moment. */
function createHint(state: AppState, redraw: () => void): (hint: string) => void {
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
