import { findPreset, PRESET_NAMES } from '../../config/presets.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import { createParts } from './app-parts.ts'
import { createAppSession } from './app-session.ts'
import { chosenCall, typedBefore } from './app-state.ts'
import type { AppPowers } from './commands/app-command.ts'
import { APP_COMMANDS, runCommand } from './commands/command-list.ts'
import { placeOf } from './draw/describe-call.ts'
import { createPaint, wantsColour } from '../../terminal/paint.ts'
import { findSandbox } from './find-sandbox.ts'
import { isAsciiOnly } from './input/app-terminal.ts'
import { createCompletion } from './input/complete.ts'
import { createPathFinder } from './input/find-paths.ts'
import { createKeyHandler } from './input/handle-key.ts'
import { openInEditor } from './input/open-in-editor.ts'
import { createSubmit } from './input/submit.ts'
import { guardScreen, stopOnSignals } from './leave-app.ts'
import { openAppState } from './open-app-state.ts'
import { createScreen } from './screen.ts'
import type { Screen } from './screen.ts'
import { createSheetAskers } from './sheets/ask-on-sheet.ts'
import { createSheetStack } from './sheets/sheet.ts'

const HINT_MS = 2_500

/** Runs the app until it is left; gives the exit code. */
export async function runApp(opening: AppOpening, version: string): Promise<number> {
  let screen: Screen | null = null
  const redraw = (): void => screen?.redraw()
  const sheets = createSheetStack(redraw)
  const ask = createSheetAskers(sheets)
  const { promise: left, resolve: leave, reject: fail } = Promise.withResolvers<number>()
  const { state, hooks } = await openAppState(opening, ask, redraw)

  let hintTimer: NodeJS.Timeout | undefined
  function sayHint(hint: string): void {
    state.hint = hint
    clearTimeout(hintTimer)
    hintTimer = setTimeout(() => {
      state.hint = null
      redraw()
    }, HINT_MS).unref()
    redraw()
  }

  const { reopen, refreshTasks, lookForInterruption, askPending, attempt } = createAppSession(
    state,
    opening,
    hooks,
    ask,
  )

  function quit(): void {
    state.isQuitting = true
    state.desk.cancel()
    redraw()
    void state.desk.idle().then(() => leave(0))
  }

  const powers: AppPowers = {
    desk: () => state.desk,
    reopen,
    confirm: ask.confirmation,
    askPending,
    lookForInterruption,
    toggleTasks: () => {
      state.isShowingTasks = !state.isShowingTasks
      attempt(refreshTasks())
      redraw()
    },
    chosenCall: () => chosenCall(state),
    quit,
  }

  const settings = state.desk.runtime.configuration.settings
  const characters = settings['ui.characters']
  const isAscii = characters === 'ascii' || (characters === 'auto' && isAsciiOnly(process.env))
  const paint = createPaint(wantsColour(process.env))
  const onKey = createKeyHandler(state, sheets, () => shown(), {
    cyclePreset: () => {
      const preset = findPreset(state.desk.runtime.configuration.settings)
      const at = PRESET_NAMES.findIndex((name) => name === preset)
      const next = PRESET_NAMES[(at + 1) % PRESET_NAMES.length]
      if (next !== undefined) attempt(reopen({ preset: next }))
    },
    revealChosen: () => {
      const { selected } = state.looks
      const row = selected === null ? null : parts.rowOf(selected)
      if (row === null) shown().follow()
      else shown().reveal(row)
    },
    openFile,
    // The whole group, because whoever started us may wait for us.
    suspend: () => shown().suspend(() => void process.kill(0, 'SIGTSTP')),
    explain: () => attempt(runCommand('/why', powers)),
    quit,
    say: sayHint,
  })
  const manner = { paint, isAscii, isStill: settings['ui.reduced_motion'], version }
  const parts = createParts(state, sheets, manner, onKey)
  screen = createScreen(parts, paint, {
    isAscii,
    hasMouse: settings['ui.mouse'],
  })
  const shown = (): Screen => screen ?? missing()

  function openFile(): void {
    const call = chosenCall(state)
    const place = call === null ? null : placeOf(call)
    if (place === null) {
      sayHint('No file belongs to it.')
      return
    }
    shown().suspend(() => {
      const trouble = openInEditor(place, state.desk.runtime.root, process.env)
      if (trouble !== null) state.desk.say('trouble', trouble)
    })
  }

  const { editor } = screen
  editor.setAutocompleteProvider(
    createCompletion({
      commands: () => APP_COMMANDS,
      wordsFor: (name) => APP_COMMANDS.find((one) => one.name === name)?.complete?.(powers) ?? [],
      tools: () => state.desk.runtime.definitions(),
      paths: createPathFinder(() => ({
        root: state.desk.runtime.root,
        stateDir: opening.stateDir,
        settings: state.desk.runtime.configuration.settings,
      })),
    }),
  )
  for (const line of typedBefore(state)) editor.addToHistory(line)
  const submit = createSubmit(state, powers, editor, () => attempt(refreshTasks()))
  editor.onSubmit = (text) => {
    shown().follow()
    void submit(text)
  }
  const release = stopOnSignals(state, leave)
  const unguard = guardScreen(fail)
  try {
    screen.start()
    void findSandbox(settings).then((found) => {
      state.sandbox = found
      redraw()
    })
    attempt(lookForInterruption())
    return await left
  } finally {
    release()
    unguard()
    await screen.stop()
    await state.desk.close()
    process.stdout.write(`tongs: left session ${state.desk.wish.session}; tongs --continue goes on with it\n`)
  }
}

function missing(): never {
  throw new Error('the screen is not there yet')
}
