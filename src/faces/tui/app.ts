import { USUAL_COLUMNS } from '../../config/fixed-values.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import { COPY_BYTES, copySequence } from '../../terminal/terminal-sequences.ts'
import { createParts } from './app-parts.ts'
import { createSessionControl } from './session-control.ts'
import { chosenCall, openCall, typedBefore } from './app-state.ts'
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
import { createNotifier } from './notify/notifier.ts'
import { sendNotice } from './notify/send-notice.ts'
import { createScreen } from './screen.ts'
import { createSheetDialogs } from './sheets/sheet-dialogs.ts'
import { createSheetStack } from './sheets/sheet.ts'
import type { AppState } from './app-state.ts'

function columnsNow(): number {
  return process.stdout.columns ?? USUAL_COLUMNS
}

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
  const notifier = createNotifier(settings['notify.after_seconds'] * SECOND_MS, (news) => {
    const { root, configuration } = state.session.runtime
    const place = { root, settings: configuration.settings, env: process.env, emit: screen.emit }
    void sendNotice(news, place).then((trouble) => trouble !== null && state.session.say('trouble', trouble))
  })
  draw = () => {
    screen.redraw()
    notifier.observe({
      isBusy: state.session.isBusy() || state.queue.length > 0,
      isAsking: sheets.top() !== null,
    })
  }

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
    copy: (text) => {
      const sequence = copySequence(text)
      if (sequence === null) return `The answer has more than ${COPY_BYTES} bytes, too many for a clipboard.`
      screen.emit(sequence)
      return null
    },
    clear: () => {
      state.session.clear()
      screen.wipe()
    },
    toggleTasks: () => {
      state.isShowingTasks = !state.isShowingTasks
      redraw()
    },
    chosenCall: () => chosenCall(state),
    showCall: (call) => {
      openCall(state, call)
      actions.showChosen()
      redraw()
    },
    quit,
  }

  const { editor } = screen
  editor.setAutocompleteProvider(createAppCompletion(state, powers, opening.stateDir, columnsNow))
  for (const line of typedBefore(state)) editor.addToHistory(line)
  const submit = createSubmit(state, powers, {
    addToHistory: (line) => {
      state.typed = [...state.typed, line]
      editor.addToHistory(line)
    },
  })
  editor.onSubmit = (text) => {
    screen.follow()
    void submit(text)
  }
  const actions = createKeyActions(state, control, {
    screen,
    rowOf: parts.rowOf,
    hint,
    choose: dialogs.setup.choose,
  })
  const explain = (): void => attempt(runCommand('/why', powers))
  const queue = (text: string): void => void submit.later(text)
  const { attend } = notifier
  const onKey = createKeyHandler({ state, sheets, screen, actions, explain, quit, queue, attend, hint })

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
    notifier.stop()
    await screen.stop()
    await state.session.close()
    process.stdout.write(sayFarewell(state))
  }
}

const HINT_MS = 2_500
const SECOND_MS = 1_000

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
