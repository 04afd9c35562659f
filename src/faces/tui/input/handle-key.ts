import { lastWordOf } from '../../../core/text/trim-end.ts'
import { TWICE_MS } from '../../../config/fixed-values.ts'
import { chosenCall, openFurther } from '../app-state.ts'
import type { AppState } from '../app-state.ts'
import { isCommandBegun } from '../commands/command-list.ts'
import type { Screen } from '../screen.ts'
import type { SheetStack } from '../sheets/sheet.ts'
import type { KeyActions } from './key-actions.ts'
import type { Pressed } from './read-pressed.ts'

/** What the app's keys act on. */
export interface KeyTargets {
  readonly state: AppState
  readonly sheets: SheetStack
  readonly screen: Pick<Screen, 'editor' | 'scroll' | 'scrollPane' | 'follow' | 'isLookingBack'>
  readonly actions: KeyActions
  readonly explain: () => void
  readonly quit: () => void
  /** Keeps a line until the current work has ended. */
  readonly queue: (text: string) => void
  /** A key was pressed, whatever it does. */
  readonly attend: () => void
  /** Shows a hint in the status row for a moment. */
  readonly hint: (text: string) => void
}

const ESCAPE = '\u001b'
const ESCAPE_KEY = 'escape'
/** What Tab would complete: a command, a call, or a path at the end. */
const isCompletable = (text: string): boolean => /^[/!]/.test(text) || /[/@=]/.test(lastWordOf(text))

/** Handles keys before the editor does: sheets first, then the keys of the app. */
export function createKeyHandler(targets: KeyTargets): (pressed: Pressed) => boolean {
  const { state, sheets, screen } = targets
  const { editor } = screen
  const interrupt = createInterrupt(targets)
  const actions = keyActions(targets)
  let hasChosenCompletion = false

  /** Enter sends the typed text; it accepts a completion only if the user moved to it, or if it completes a command. */
  function sendAsTyped(): void {
    if (!editor.isShowingAutocomplete() || hasChosenCompletion) return
    if (!isCommandBegun(editor.getText(), state.session.ownCommands().usable)) editor.handleInput(ESCAPE)
  }

  /** Keeps what is typed until the current work has ended; false if there is neither. */
  function queueTyped(): boolean {
    const typed = editor.getExpandedText()
    if (!isAtWork(state) || typed.trim() === '') return false
    editor.setText('')
    targets.queue(typed)
    return true
  }

  return ({ key, text }) => {
    targets.attend()
    if (key !== 'enter')
      hasChosenCompletion = editor.isShowingAutocomplete() && (key === 'up' || key === 'down')
    if (key === 'ctrl+c') {
      interrupt(key)
      return true
    }
    if (sheets.top() !== null) {
      sheets.press(key, text)
      return true
    }
    switch (key) {
      case 'enter':
        sendAsTyped()
        return false
      case ESCAPE_KEY:
        if (editor.isShowingAutocomplete() || (editor.getText() !== '' && !isAtWork(state))) return false
        if (screen.isLookingBack()) screen.follow()
        else interrupt(key)
        return true
      case 'alt+enter':
        return queueTyped()
      case 'ctrl+o':
        if (editor.getText() === '') targets.actions.openFile()
        else targets.actions.editTyped()
        return true
      case 'ctrl+d':
        if (editor.getText() !== '') return false
        targets.quit()
        return true
      case 'tab': {
        const call = chosenCall(state)
        if (!editor.isShowingAutocomplete() && !isCompletable(editor.getText()) && queueTyped()) return true
        if (editor.getText() !== '' || call === null) return false
        openFurther(state, call)
        targets.actions.showChosen()
        return true
      }
      default: {
        const act = actions.get(key)
        act?.()
        return act !== undefined
      }
    }
  }
}

/** Keys that mean the same whatever is typed. */
function keyActions({ screen, actions, explain }: KeyTargets): ReadonlyMap<string, () => void> {
  return new Map([
    ['ctrl+z', () => actions.suspend()],
    ['shift+tab', () => actions.cyclePreset()],
    ['ctrl+p', () => actions.goToCall(-1)],
    ['ctrl+n', () => actions.goToCall(1)],
    ['ctrl+r', () => actions.searchHistory()],
    ['ctrl+g', explain],
    ['pageUp', () => screen.scroll(-1)],
    ['pageDown', () => screen.scroll(1)],
    ['ctrl+end', () => screen.follow()],
    ['shift+up', () => screen.scrollPane(-1)],
    ['shift+down', () => screen.scrollPane(1)],
  ])
}

/** An interrupt cancels the running work. Only a second Ctrl-C leaves the app: Esc is pressed in passing too often. */
function createInterrupt({ state, sheets, screen, quit, hint }: KeyTargets): (key: string) => void {
  const { editor } = screen
  let interruptedAt = -Infinity

  function dropQueue(): void {
    const { length } = state.queue
    if (length > 0) state.session.say('plain', `Dropped from the queue: ${length}; Up brings each back.`)
    state.queue = []
  }

  return (key) => {
    const isEscape = key === ESCAPE_KEY
    const isSecond = !isEscape && performance.now() - interruptedAt < TWICE_MS
    if (!isEscape) interruptedAt = performance.now()
    if (isSecond) {
      quit()
      return
    }
    if (state.stopWaiting !== null) {
      state.stopWaiting()
      return
    }
    const sheet = sheets.top()
    const isBusy = state.session.isBusy()
    if (isBusy) state.session.cancel()
    else if (sheet !== null) sheet.press(ESCAPE_KEY, '')
    else if (!isEscape && editor.getText() !== '') editor.setText('')
    dropQueue()
    if (!isEscape) hint('Ctrl-C again to quit')
    else if (!isBusy) hint('Ctrl-C twice or Ctrl-D quits')
  }
}

/** Whether there is something to cancel: running work, or a wait for a session. */
function isAtWork({ session, stopWaiting }: AppState): boolean {
  return session.isBusy() || stopWaiting !== null
}
