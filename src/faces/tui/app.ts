import { PRESET_NAMES } from '../../config/presets.ts'
import type { ApprovalRequest, Approver, Asking } from '../../core/approval.ts'
import { DRAINING } from '../../pipeline/attend.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'
import { createParts } from './app-parts.ts'
import { chosenCall } from './app-state.ts'
import type { AppState } from './app-state.ts'
import type { AppPowers } from './commands/app-command.ts'
import { APP_COMMANDS, runCommand } from './commands/command-list.ts'
import { openDesk } from './desk.ts'
import type { DeskWish } from './desk.ts'
import { placeOf } from './draw/describe-call.ts'
import { presetOf } from './draw/draw-start.ts'
import { createPaint } from './draw/paint.ts'
import { findSandbox } from './find-sandbox.ts'
import { isAsciiOnly } from './input/app-terminal.ts'
import { createCompletion } from './input/complete.ts'
import { createPathFinder } from './input/find-paths.ts'
import { createKeyHandler } from './input/handle-key.ts'
import { openInEditor } from './input/open-in-editor.ts'
import { createSubmit } from './input/submit.ts'
import { createScreen } from './screen.ts'
import type { Screen } from './screen.ts'
import { askApproval, askConfirmation, askRecovery } from './sheets/ask-on-sheet.ts'
import { createSheetStack } from './sheets/sheet.ts'

const USUAL_SESSION = 'cli'
const HINT_MS = 2_500
/** How long a process that was told to end may take to finish a commit. */
const DRAIN_MS = 5_000

/** Runs the app until it is left; gives the exit code. */
export async function runApp(opening: AppOpening, version: string): Promise<number> {
  let screen: Screen | null = null
  const redraw = (): void => screen?.redraw()
  const sheets = createSheetStack(redraw)
  const { promise: left, resolve: leave } = Promise.withResolvers<number>()
  const approve: Approver = Object.assign(
    (requests: readonly ApprovalRequest[], asking: Asking) => {
      state.desk.catchUp()
      return askApproval(sheets, requests, asking, () => state.desk.cancel())
    },
    { isAttended: true },
  )
  const hooks = { approve, onChange: redraw }
  const wish = {
    session: opening.session ?? USUAL_SESSION,
    preset: opening.preset,
    model: opening.model ?? (opening.isContinuing ? 'latest' : null),
  }
  const state: AppState = {
    desk: await openFirst(),
    looks: { opened: new Set(), selected: null },
    isShowingTasks: false,
    tasks: [],
    sandbox: null,
    hint: null,
    queue: [],
    isUndecided: false,
    isQuitting: false,
  }

  /** With `--continue` the newest session, which only the journal knows. */
  async function openFirst() {
    const desk = await openDesk(opening, wish, hooks)
    const newest =
      opening.isContinuing && opening.session === null ? desk.runtime.sessions()[0]?.name : undefined
    if (newest === undefined || newest === wish.session) return desk
    await desk.close()
    return openDesk(opening, { ...wish, session: newest }, hooks)
  }

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

  async function reopen(change: Partial<DeskWish>): Promise<void> {
    const { desk } = state
    if (desk.isBusy()) {
      desk.say('trouble', 'Something is going on; wait for its end, or cancel it with Esc.')
      return
    }
    const before = desk.wish
    await desk.close()
    try {
      state.desk = await openDesk(opening, { ...before, ...change }, hooks)
    } catch (thrown) {
      state.desk = await openDesk(opening, before, hooks)
      state.desk.say('trouble', thrown instanceof Error ? thrown.message : String(thrown))
    }
    state.looks = { opened: new Set(), selected: null }
    void refreshTasks()
    redraw()
    if (change.session !== undefined || change.model !== undefined) await lookForInterruption()
  }

  async function refreshTasks(): Promise<void> {
    if (!state.isShowingTasks) return
    const { runtime, wish: at } = state.desk
    state.tasks = await runtime.tasks({ session: at.session })
    redraw()
  }

  async function lookForInterruption(): Promise<void> {
    const found = await state.desk.findInterruption()
    if (found === null) {
      await mentionPending()
      return
    }
    const choice = await askRecovery(sheets, found)
    state.isUndecided = choice === null
    if (choice === null) {
      state.desk.say('trouble', 'Something was interrupted and is not decided yet; /recover asks again.')
      return
    }
    await state.desk.recover(choice)
    if (choice === 'resume' && state.desk.conversation !== null) await state.desk.talk(null)
  }

  async function mentionPending(): Promise<void> {
    const waiting = await state.desk.runtime.pending({ session: state.desk.wish.session })
    if (waiting.length > 0)
      state.desk.say('plain', `Questions that wait for an answer: ${waiting.length}. /pending shows them.`)
  }

  async function askPending(): Promise<void> {
    const { runtime, wish: at } = state.desk
    const waiting = await runtime.pending({ session: at.session })
    if (waiting.length === 0) {
      state.desk.say('plain', 'Nothing waits for an answer.')
      return
    }
    const end = new AbortController()
    const grantSeconds = runtime.configuration.settings['tools.approval.grant_seconds']
    const answers = await askApproval(sheets, waiting, { signal: end.signal, grantSeconds }, () =>
      end.abort(),
    )
    if (answers === 'later') return
    await state.desk.decide(waiting.map(({ id }, index) => [id, answers[index] ?? 'deny'] as const))
    if (state.desk.conversation !== null) await state.desk.talk(null)
  }

  function quit(): void {
    state.isQuitting = true
    state.desk.cancel()
    redraw()
    void state.desk.idle().then(() => leave(0))
  }

  const powers: AppPowers = {
    desk: () => state.desk,
    reopen,
    confirm: (question) => askConfirmation(sheets, question),
    askPending,
    lookForInterruption,
    toggleTasks: () => {
      state.isShowingTasks = !state.isShowingTasks
      void refreshTasks()
      redraw()
    },
    selected: () => state.looks.selected,
    quit,
  }

  const settings = state.desk.runtime.configuration.settings
  const { NO_COLOR = '', TERM = '' } = process.env
  const characters = settings['ui.characters']
  const isAscii = characters === 'ascii' || (characters === 'auto' && isAsciiOnly(process.env))
  const paint = createPaint(NO_COLOR === '' && TERM !== 'dumb')
  const onKey = createKeyHandler(state, sheets, () => shown(), {
    cyclePreset: () => {
      const at = PRESET_NAMES.findIndex(
        (name) => name === presetOf(state.desk.runtime.configuration.settings),
      )
      const next = PRESET_NAMES[(at + 1) % PRESET_NAMES.length]
      if (next !== undefined) void reopen({ preset: next })
    },
    revealChosen: () => {
      const { selected } = state.looks
      const row = selected === null ? null : parts.rowOf(selected)
      if (row === null) shown().follow()
      else shown().reveal(row)
    },
    openFile,
    explain: () => void runCommand('/why', powers),
    quit,
    say: sayHint,
  })
  const manner = { paint, isAscii, isStill: settings['ui.reduced_motion'], version }
  const parts = createParts(state, sheets, manner, onKey)
  screen = createScreen(parts, paint, {
    isAscii,
    hasMouse: settings['ui.mouse'],
  })
  const shown = (): Screen => screen ?? fail()

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
  const submit = createSubmit(state, powers, editor, () => void refreshTasks())
  editor.onSubmit = (text) => {
    shown().follow()
    submit(text)
  }
  const release = stopOnSignals(state, leave)
  try {
    screen.start()
    void findSandbox(settings).then((found) => {
      state.sandbox = found
      redraw()
    })
    void lookForInterruption()
    return await left
  } finally {
    release()
    await screen.stop()
    await state.desk.close()
    process.stdout.write(`tongs: left session ${state.desk.wish.session}; tongs --continue goes on with it\n`)
  }
}

function fail(): never {
  throw new Error('the screen is not there yet')
}

/** A request to end, or a terminal that has gone away: what is being committed is finished, what waits goes on waiting. */
function stopOnSignals(state: AppState, leave: (code: number) => void): () => void {
  const onEnd = (): void => {
    state.isQuitting = true
    state.desk.cancel(DRAINING)
    setTimeout(() => process.exit(143), DRAIN_MS).unref()
    void state.desk.idle().then(() => leave(143))
  }
  process.on('SIGTERM', onEnd)
  process.on('SIGHUP', onEnd)
  return () => {
    process.off('SIGTERM', onEnd)
    process.off('SIGHUP', onEnd)
  }
}
