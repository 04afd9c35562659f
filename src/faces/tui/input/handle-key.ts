import { TWICE_MS } from '../../../config/fixed-values.ts'
import { chosenCall, toggleCall } from '../app-state.ts'
import type { AppState } from '../app-state.ts'
import { isCommandBegun } from '../commands/command-list.ts'
import type { Screen } from '../screen.ts'
import type { SheetStack } from '../sheets/sheet.ts'
import type { KeyActions } from './key-actions.ts'
import type { Pressed } from './read-pressed.ts'

/** What keys can lead to that has other ways too. */
interface KeyWays {
  readonly explain: () => void
  readonly quit: () => void
  readonly say: (hint: string) => void
}

const ESCAPE = '\u001b'
const ESCAPE_KEY = 'escape'

/** Makes what takes keys before the editor does: sheets first, then the keys of the app. */
export function createKeyHandler(
  state: AppState,
  sheets: SheetStack,
  { editor, scroll, scrollPane, follow }: Screen,
  actions: KeyActions,
  { explain, quit, say }: KeyWays,
): (pressed: Pressed) => boolean {
  let interruptedAt = -Infinity

  /** The first time what is going on is cancelled, the second time the app is left. */
  function interrupt(key: string): void {
    const isSecond = performance.now() - interruptedAt < TWICE_MS
    interruptedAt = performance.now()
    if (isSecond) {
      quit()
      return
    }
    if (state.stopWaiting !== null) {
      state.stopWaiting()
      return
    }
    const sheet = sheets.top()
    if (state.session.isBusy()) state.session.cancel()
    else if (sheet !== null) sheet.press(ESCAPE_KEY, '')
    else if (key === 'ctrl+c' && editor.getText() !== '') editor.setText('')
    dropQueue()
    say(`${key === 'ctrl+c' ? 'Ctrl-C' : 'Esc'} again to quit`)
  }

  function dropQueue(): void {
    const { length } = state.queue
    if (length > 0) state.session.say('plain', `Not taken up any more: ${length} noted; Up brings each back.`)
    state.queue = []
  }

  let hasChosenCompletion = false

  /** Enter sends what was typed; a completion counts where somebody went to it, or where it is the rest of a command. */
  function sendAsTyped(): void {
    if (editor.isShowingAutocomplete() && !hasChosenCompletion && !isCommandBegun(editor.getText()))
      editor.handleInput(ESCAPE)
  }

  return ({ key, text }) => {
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
        interrupt(key)
        return true
      case 'ctrl+d':
        if (editor.getText() !== '') return false
        quit()
        return true
      case 'ctrl+z':
        actions.suspend()
        return true
      case 'shift+tab':
        actions.cyclePreset()
        return true
      case 'ctrl+p':
        actions.goToCall(-1)
        return true
      case 'ctrl+n':
        actions.goToCall(1)
        return true
      case 'ctrl+o':
        actions.openFile()
        return true
      case 'ctrl+g':
        explain()
        return true
      case 'pageUp':
        scroll(-1)
        return true
      case 'pageDown':
        scroll(1)
        return true
      case 'ctrl+end':
        follow()
        return true
      case 'shift+up':
        scrollPane(-1)
        return true
      case 'shift+down':
        scrollPane(1)
        return true
      case 'tab': {
        const call = chosenCall(state)
        if (editor.getText() !== '' || call === null) return false
        toggleCall(state, call.key)
        return true
      }
      default:
        return false
    }
  }
}

/** Whether there is something to cancel: work, or waiting for a session that another process has. */
function isAtWork({ session, stopWaiting }: AppState): boolean {
  return session.isBusy() || stopWaiting !== null
}
