import type { Settings } from '../../../config/keys.ts'
import { findPreset, PRESET_NAMES } from '../../../config/presets.ts'
import type { PresetName } from '../../../config/presets.ts'
import type { AppParts } from '../app-parts.ts'
import type { SessionControl } from '../session-control.ts'
import { chooseCall, chosenCall } from '../app-state.ts'
import type { AppState } from '../app-state.ts'
import { fileOf } from '../draw/describe-call.ts'
import type { Screen } from '../screen.ts'
import { resolve } from 'node:path'
import { editText, openInEditor } from './open-in-editor.ts'
import { listTyped, takeLine } from './search-history.ts'
import type { SetupDialogs } from '../../../setup/setup-dialogs.ts'

/** Actions of keys. */
export interface KeyActions {
  readonly cyclePreset: () => void
  /** Shows the selected call, or else the last one. */
  readonly showChosen: () => void
  /** Selects the previous or next call and scrolls to it. */
  readonly goToCall: (step: -1 | 1) => void
  readonly openFile: () => void
  /** Edits what is typed in the editor of the user. */
  readonly editTyped: () => void
  /** Finds what was typed before, in this session and in others of the folder. */
  readonly searchHistory: () => void
  /** Suspends the process until the shell resumes it. */
  readonly suspend: () => void
}

/** Where the actions show their effect. */
export interface KeyDisplay extends Pick<AppParts, 'rowOf'> {
  readonly screen: Screen
  readonly choose: SetupDialogs['choose']
  /** Shows a hint in the status row for a moment. */
  readonly hint: (text: string) => void
}

/** Creates the actions. */
export function createKeyActions(
  state: AppState,
  { reopen, attempt }: Pick<SessionControl, 'reopen' | 'attempt'>,
  { screen, rowOf, hint, choose }: KeyDisplay,
): KeyActions {
  function showChosen(): void {
    screen.lookBack()
    const call = chosenCall(state)
    const row = call === null ? null : rowOf(call.key)
    if (row !== null) screen.reveal(row)
  }

  return {
    cyclePreset() {
      attempt(reopen(({ runtime }) => ({ preset: presetAfter(runtime.configuration.settings) })))
    },
    showChosen,
    goToCall(step) {
      chooseCall(state, step)
      if (state.expanded.selected === null) screen.follow()
      else showChosen()
    },
    openFile() {
      const call = chosenCall(state)
      const file = call === null ? null : fileOf(call)
      if (file === null) {
        hint(call === null ? 'There is no call yet.' : `No file belongs to ${call.name}.`)
        return
      }
      screen.suspend(() => {
        const trouble = openInEditor(file, rootsOf(state), process.env)
        if (trouble !== null) state.session.say('trouble', trouble)
      })
    },
    editTyped() {
      screen.suspend(() => {
        const edited = editText(screen.editor.getExpandedText(), rootsOf(state), process.env)
        if (edited.ok) screen.editor.setText(edited.text)
        else state.session.say('trouble', edited.why)
      })
    },
    searchHistory() {
      const lines = listTyped(state)
      if (lines.length === 0) hint('Nothing was typed yet.')
      else attempt(takeLine(lines, choose, screen.editor))
    },
    // The whole process group, because the parent process may be waiting.
    suspend: () => screen.suspend(() => void process.kill(0, 'SIGTSTP')),
  }
}

/** The folders that models work in. */
function rootsOf({ session }: AppState): readonly [string, ...string[]] {
  const { root, configuration } = session.runtime
  const others = configuration.settings['tools.sandbox.allowed_roots']
  return [root, ...others.map((path) => resolve(root, path))]
}

function presetAfter(settings: Settings): PresetName | null {
  const at = PRESET_NAMES.findIndex((name) => name === findPreset(settings))
  return PRESET_NAMES[(at + 1) % PRESET_NAMES.length] ?? null
}
