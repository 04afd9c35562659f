import type { AppOpening } from '../../terminal/app-opening.ts'
import { createParts } from './app-parts.ts'
import { createSessionControl } from './session-control.ts'
import { chosenCall, typedBefore } from './app-state.ts'
import type { AppPowers } from './commands/app-command.ts'
import { runCommand } from './commands/command-list.ts'
import { findSandbox } from './start-facts.ts'
import { createAppCompletion } from './input/complete.ts'
import { createKeyHandler } from './input/handle-key.ts'
import { createKeyActions } from './input/key-actions.ts'
import { createSubmit } from './input/submit.ts'
import { guardScreen, sayFarewell, stopOnSignals } from './leave-app.ts'
import { chooseDisplayOptions } from './display-options.ts'
import { openAppState } from './open-app-state.ts'
import { createScreen } from './screen.ts'
import { createSheetDialogs } from './sheets/sheet-dialogs.ts'
import { createSheetStack } from './sheets/sheet.ts'
import type { AppState } from './app-state.ts'

/** Runs the app until the user leaves; returns the exit code. */
export async function runApp(opening: AppOpening, version: string): Promise<number> {
  // The parts that report changes are created before the screen, so drawing is connected later.
  let draw: (() => void) | null = null
  const redraw = (): void => draw?.()
  const sheets = createSheetStack(redraw)
  const dialogs = createSheetDialogs(sheets)
  const { promise: left, resolve: leave, reject: fail } = Promise.withResolvers<number>()
  const { state, hooks } = await openAppState(opening, dialogs, redraw)
  const { settings } = state.session.runtime.configuration
  const display = chooseDisplayOptions(settings, process.env)
  const parts = createParts(state, sheets, display, version)
  const screen = createScreen(parts, display)
  draw = screen.redraw

  const control = createSessionControl(state, opening, hooks, dialogs)
  const { attempt } = control
  const hint = createHint(state, redraw)
  const quit = (): void => {
    state.isQuitting = true
    state.stopWaiting?.()
    state.session.cancel()
    redraw()
    void state.session.idle().then(() => leave(0))
  }
  const powers: AppPowers = {
    ...control,
    session: () => state.session,
    dialogs: dialogs.setup,
    confirm: dialogs.confirmation,
    prefill: (text) => {
      screen.editor.setText(text)
      redraw()
    },
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
  const actions = createKeyActions(state, control, { screen, rowOf: parts.rowOf, hint })
  const explain = (): void => attempt(runCommand('/why', powers))
  const onKey = createKeyHandler({ state, sheets, screen, actions, explain, quit, hint })

  const release = stopOnSignals(state, leave)
  const unguard = guardScreen(fail)
  try {
    screen.start(onKey)
    void findSandbox(settings, opening).then((found) => {
      state.sandbox = found
      redraw()
    })
    attempt(control.welcome())
    return await left
  } finally {
    release()
    unguard()
    await screen.stop()
    await state.session.close()
    process.stdout.write(sayFarewell(state))
  }
}

const HINT_MS = 2_500

/** Shows a hint in the status row for a moment. */
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
