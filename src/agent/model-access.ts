import type { Settings } from '../config/keys.ts'
import { personalKeys } from '../model/keys/provider-key.ts'
import { providerOf } from '../model/model-spec.ts'
import type { KeySources } from '../model/keys/key-sources.ts'

type ModelSettings = Pick<Settings, 'model.name' | 'model.base_url' | 'model.key_command'>

/** Where the user's keys may be: the key file, the configured command and the environment. */
export function keySourcesOf(
  settings: ModelSettings,
  env: Readonly<Record<string, string | undefined>>,
): KeySources {
  const { 'model.name': name, 'model.key_command': words } = settings
  if (words.length === 0) return personalKeys(env, null)
  // A command without a model is for any; one whose model has no provider is for none.
  const provider = name === '' ? null : (providerOf(name) ?? '')
  return personalKeys(env, { words, provider, baseUrl: settings['model.base_url'] || null })
}

/** The configured server, if it is the one of this model's provider; null is the provider's own. */
export function configuredServer(spec: string, settings: ModelSettings): string | null {
  const { 'model.name': name, 'model.base_url': baseUrl } = settings
  // Without a name, a compatible server is meant: only that needs an address.
  const provider = name === '' ? 'compatible' : providerOf(name)
  return baseUrl !== '' && provider !== null && provider === providerOf(spec) ? baseUrl : null
}
