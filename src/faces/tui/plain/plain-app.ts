import { TWICE_MS, USUAL_COLUMNS } from '../../../config/fixed-values.ts'
import { sanitise } from '../../../core/text/display/sanitise.ts'
import type { AppOpening } from '../../../terminal/app-opening.ts'
import { createSessionControl } from '../session-control.ts'
import { chosenCall } from '../app-state.ts'
import type { AppPowers } from '../commands/app-command.ts'
import { drawStart } from '../draw/draw-start.ts'
import { drawCall } from '../draw/draw-call.ts'
import { drawTasks } from '../draw/draw-panels.ts'
import type { Canvas } from '../draw/canvas.ts'
import { findSandbox, startFacts } from '../start-facts.ts'
import { spellDots, toAscii } from '../draw/ascii.ts'
import { createSubmit } from '../input/submit.ts'
import { sayFarewell, stopOnSignals } from '../leave-app.ts'
import { openAppState } from '../open-app-state.ts'
import { createLineDialogs } from './line-dialogs.ts'
import { createViewPrinter } from './print-view.ts'
import { openTypedLines } from './typed-lines.ts'

/** All output passes here: sanitized, without styles, in ASCII. */
function write(text: string): void {
  process.stdout.write(toAscii(sanitise(text).replaceAll('\t', '    ')))
}

function print(row: string): void {
  write(`${spellDots(row.trimEnd(), process.stdout.columns ?? Infinity)}\n`)
}

function canvas(): Canvas {
  return {
    columns: (process.stdout.columns ?? USUAL_COLUMNS) - 1,
    paint: (_style, text) => text,
    now: Date.now(),
    isStill: true,
    isAscii: true,
    opensWith: '/show',
  }
}

/** The app for a simple terminal: the same, line by line, in ASCII. */
export async function runPlainApp(opening: AppOpening, version: string): Promise<number> {
  const lines = openTypedLines(write)
  let interrupted = new AbortController()
  const dialogs = createLineDialogs(lines, print, canvas, () => interrupted.signal)
  /** The line that is being worked on, as the terminal echoed it. */
  let typed: string | null = null
  let printView: ReturnType<typeof createViewPrinter> | null = null
  const show = (): void => printView?.(state.session.view(), state.session.request.session)
  const { state, hooks } = await openAppState(opening, dialogs, show).catch((thrown: unknown) => {
    lines.close()
    throw thrown
  })
  const { settings } = state.session.runtime.configuration
  printView = createViewPrinter(
    print,
    canvas,
    () => settings['ui.output_lines'],
    (said) => said === typed,
  )
  const control = createSessionControl(state, opening, hooks, dialogs)
  const powers: AppPowers = {
    ...control,
    reopen: async (choose) => {
      await control.reopen(choose)
      // There is no status row that would show it.
      const facts = startFacts(state.session, null, version)
      print(` session ${facts.session}, preset ${facts.preset}`)
    },
    session: () => state.session,
    dialogs: dialogs.setup,
    confirm: dialogs.confirmation,
    // There is no line to put it into.
    prefill: (text) => print(` the message was: ${text}`),
    copy: () => 'This terminal has no clipboard that Tongs can reach.',
    clear: () => state.session.clear(),
    toggleTasks: () => {
      for (const row of drawTasks(state.session.tasks(), canvas())) print(row)
    },
    chosenCall: () => chosenCall(state),
    showCall: (call) => {
      for (const row of drawCall(call, { opened: 'result', isSelected: false }, canvas())) print(row)
    },
    quit: () => {
      state.isQuitting = true
    },
  }
  const submit = createSubmit(state, powers, { addToHistory: () => undefined })
  let exit = 0
  const release = stopOnSignals(state, (code) => {
    exit = code
    lines.close()
  })
  const releaseInterrupt = stopOnInterrupt()

  /** The first interrupt cancels the running work, the second one leaves the app after it has ended. */
  function stopOnInterrupt(): () => void {
    let interruptedAt = -Infinity
    const onInterrupt = (): void => {
      const isSecond = performance.now() - interruptedAt < TWICE_MS
      interruptedAt = performance.now()
      interrupted.abort()
      interrupted = new AbortController()
      state.stopWaiting?.()
      if (isSecond) {
        state.isQuitting = true
        lines.close()
      } else if (!state.session.cancel()) print('Ctrl-C again to quit')
    }
    process.on('SIGINT', onInterrupt)
    return () => void process.off('SIGINT', onInterrupt)
  }

  try {
    const facts = startFacts(state.session, await findSandbox(settings, opening), version)
    const { known, open } = drawStart(facts, canvas())
    for (const row of [...known, ...open]) print(row)
    show()
    await control.welcome()
    while (!state.isQuitting) {
      const line = await lines.next('> ')
      if (line === null) break
      typed = line.trim()
      await submit(line)
      typed = null
    }
    return exit
  } finally {
    await state.session.idle()
    release()
    releaseInterrupt()
    lines.close()
    await state.session.close()
    write(sayFarewell(state))
  }
}
