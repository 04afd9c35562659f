import type { Settings } from '../../../config/keys.ts'
import { findPreset, PRESET_NAMES } from '../../../config/presets.ts'
import type { PresetName } from '../../../config/presets.ts'
import type { AppParts } from '../app-parts.ts'
import type { SessionControl } from '../session-control.ts'
import { chooseCall, chosenCall } from '../app-state.ts'
import type { AppState } from '../app-state.ts'
import { fileOf } from '../draw/describe-call.ts'
import type { Screen } from '../screen.ts'
import { spawnSync } from 'node:child_process'
import { resolve, sep } from 'node:path'

/** Actions of keys. */
export interface KeyActions {
  readonly cyclePreset: () => void
  /** Selects the previous or next call and scrolls to it. */
  readonly goToCall: (step: -1 | 1) => void
  readonly openFile: () => void
  /** Suspends the process until the shell resumes it. */
  readonly suspend: () => void
}

/** Where the actions show their effect. */
export interface KeyDisplay extends Pick<AppParts, 'rowOf'> {
  readonly screen: Screen
  /** Shows a hint in the status row for a moment. */
  readonly hint: (text: string) => void
}

/** Creates the actions. */
export function createKeyActions(
  state: AppState,
  { reopen, attempt }: Pick<SessionControl, 'reopen' | 'attempt'>,
  { screen, rowOf, hint }: KeyDisplay,
): KeyActions {
  return {
    cyclePreset() {
      attempt(reopen(({ runtime }) => ({ preset: presetAfter(runtime.configuration.settings) })))
    },
    goToCall(step) {
      chooseCall(state, step)
      const { selected } = state.expanded
      const row = selected === null ? null : rowOf(selected)
      if (row === null) screen.follow()
      else screen.reveal(row)
    },
    openFile() {
      const call = chosenCall(state)
      const file = call === null ? null : fileOf(call)
      if (file === null) {
        hint(call === null ? 'There is no call yet.' : `No file belongs to ${call.name}.`)
        return
      }
      screen.suspend(() => {
        const trouble = openInEditor(file, state.session.runtime.root, process.env)
        if (trouble !== null) state.session.say('trouble', trouble)
      })
    },
    // The whole process group, because the parent process may be waiting.
    suspend: () => screen.suspend(() => void process.kill(0, 'SIGTSTP')),
  }
}

function presetAfter(settings: Settings): PresetName | null {
  const at = PRESET_NAMES.findIndex((name) => name === findPreset(settings))
  return PRESET_NAMES[(at + 1) % PRESET_NAMES.length] ?? null
}

/** Editors that accept `+N` before the file. */
const TAKES_LINE = /(?:^|\/)(?:vim?|nvim|nano|emacs|emacsclient|kak|micro|joe|ed)$/

/** Opens a workspace file in the user's editor; returns an error message, or null. */
function openInEditor(
  place: { readonly path: string; readonly line: number },
  root: string,
  env: Readonly<Record<string, string | undefined>>,
): string | null {
  const file = resolve(root, place.path)
  if (!file.startsWith(root + sep)) return `${place.path} is outside the folder.`
  const wanted = env['VISUAL'] || env['EDITOR'] || ''
  const [program, ...words] = splitWords(wanted)
  if (program === undefined) return 'Set EDITOR to the editor to open files with.'
  const lines = place.line > 1 && TAKES_LINE.test(program) ? [`+${place.line}`] : []
  const end = spawnSync(program, [...words, ...lines, file], { stdio: 'inherit' })
  if (end.error !== undefined) return `Cannot start ${program}: ${end.error.message}`
  return null
}

/** Words as a shell would read them, so that a program's path may have blanks in quotes. */
function splitWords(line: string): readonly string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\]|['"\\])+/gs) ?? []
  return words.map((word) =>
    word.replaceAll(
      /'([^']*)'|"([^"]*)"|\\(.)/gs,
      (_, single?: string, double?: string, escaped?: string) => single ?? double ?? escaped ?? '',
    ),
  )
}
