import type { PresetName } from '../../../config/presets.ts'
import type { ModelAddress } from '../../../journal/entries/model-note.ts'
import type { SessionReader } from '../../../journal/log.ts'
import { readModel, relyOnModel } from './session-model.ts'
import { readPreset, relyOnPreset } from './session-preset.ts'
import type { ReliedPreset } from './session-preset.ts'

/** What was chosen for the sessions of a root. */
export interface SessionChoices {
  /** The preset that was chosen for a session, to be shown; null if none was. */
  readonly presetOf: (session: string) => PresetName | null
  /** The last model of a session, to be shown; null if there was none. */
  readonly modelOf: (session: string) => ModelAddress | null
  /** What a session goes on with; if its log does not show what was chosen last, the tightest preset, no model, and why. */
  readonly goOnWith: (session: string) => ReliedPreset & { readonly model: ModelAddress | null }
}

/** Reads the choices from the logs of sessions, which need not be owned. */
export function readChoices(peek: (session: string) => SessionReader): SessionChoices {
  return {
    presetOf: (session) => readPreset(peek(session)),
    modelOf: (session) => readModel(peek(session)),
    goOnWith: (session) => {
      const log = peek(session)
      const [relied, model] = [relyOnPreset(log), relyOnModel(log)]
      const lost = model === null ? readModel(log) : null
      const unused =
        lost === null ? '' : `Its model, ${lost.model}, is not used either: name it (--model) if it is right.`
      const doubts = [relied.doubt, unused].filter((one) => one !== null && one !== '')
      return { ...relied, model, doubt: doubts.length === 0 ? null : doubts.join(' ') }
    },
  }
}
