import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk'
import { keySourcesOf } from '../../agent/model-access.ts'
import { findPreset, PRESET_NAMES, PRESETS } from '../../config/presets.ts'
import { proposeModels } from '../../model/open-model.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** What a session is set to. */
export interface SessionState {
  readonly runtime: Pick<Runtime, 'root' | 'configuration'>
  /** The preset that was chosen for it; null if the configuration decides. */
  readonly preset: string | null
  readonly model: string | null
}

/** Stands for settings that are none of the presets. */
const OWN = 'configured'
/** Stands for no model. */
const NONE = 'none'

/** The presets as modes. */
export function modesOf({ runtime, preset }: SessionState): SessionModeState {
  const current = preset ?? findPreset(runtime.configuration.settings)
  const presets = PRESET_NAMES.map((name) => ({ id: name, name, description: PRESETS[name].says }))
  const own = { id: OWN, name: OWN, description: 'As your configuration says.' }
  return {
    currentModeId: current ?? OWN,
    availableModes: current === null ? [own, ...presets] : presets,
  }
}

/** The same as an option, and the models that can be used with the keys that were found. */
export function optionsOf(state: SessionState): SessionConfigOption[] {
  const { currentModeId, availableModes } = modesOf(state)
  const models = modelsOf(state)
  return [
    {
      type: 'select',
      id: 'preset',
      name: 'Preset',
      description: 'How much may happen without asking',
      category: 'mode',
      currentValue: currentModeId,
      options: availableModes.map(({ id, name, description }) => ({
        value: id,
        name,
        description: description ?? null,
      })),
    },
    {
      type: 'select',
      id: 'model',
      name: 'Model',
      description: 'The model of the next turn; any other name can be set too',
      category: 'model',
      currentValue: state.model ?? NONE,
      options: models.map((name) => ({ value: name, name })),
    },
  ]
}

function modelsOf({ runtime: { root, configuration }, model }: SessionState): readonly string[] {
  const { settings } = configuration
  const sources = keySourcesOf(settings, { env: process.env, root })
  const configured = settings['model.name'] === '' ? [] : [settings['model.name']]
  return [...new Set([model ?? NONE, ...configured, ...proposeModels(sources)])]
}
