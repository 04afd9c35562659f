import { readEnvironment } from '../host/system/process.ts'
import { readTextIfExists, RefusedFileError } from '../host/fs/plain-file.ts'
import { createAiSdkClient } from './ai-sdk-client.ts'
import { windowByName } from './catalog/list-models.ts'
import { askContextWindow } from './catalog/local-servers.ts'
import { describePlace, findKeyPlace, readKeyAt } from './keys/provider-key.ts'
import type { KeyPurpose } from './keys/provider-key.ts'
import type { KeySources } from './keys/key-sources.ts'
import { plainUrl, readSpec } from './model-spec.ts'
import { ModelError } from './model-client.ts'
import type { ModelClient } from './model-client.ts'
import { PROVIDER_NAMES, PROVIDERS } from './providers.ts'
import type { Provider } from './providers.ts'
import { createScriptClient } from './script-client.ts'

/** Where to find keys, and a server other than the provider's own. */
export interface OpenModelOptions {
  /** The environment of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly baseUrl?: string
  /** Further places of keys, instead of `env` alone. */
  readonly keys?: KeySources
  /** A key that is not stored anywhere yet. */
  readonly key?: string | null
  /** Stops a command that prints the key. */
  readonly signal?: AbortSignal
}

const SCRIPT = 'script:'
const MAX_SCRIPT_BYTES = 64 * 1024 ** 2
const CHOICES = 'anthropic/NAME, openai/NAME, google/NAME, compatible/NAME with a base URL, or script:FILE'

/** Opens a model by a name such as `anthropic/NAME` or `script:FILE`; throws a ModelError if it cannot. */
export async function openModel(spec: string, options: OpenModelOptions = {}): Promise<ModelClient> {
  if (spec.startsWith(SCRIPT)) return openScript(spec)
  const parts = readSpec(spec)
  if (parts === null)
    throw new ModelError('bad_request', `${JSON.stringify(spec)} is not a model. Give one of ${CHOICES}.`)
  const { name } = parts
  const provider: Provider = PROVIDERS[parts.provider]
  const baseUrl = checkBaseUrl(spec, options.baseUrl ?? provider.baseUrl)
  const env = options.keys?.env ?? options.env ?? readEnvironment()
  const purpose: KeyPurpose = { provider: parts.provider, baseUrl: options.baseUrl ?? null }
  const { key, keyName } = await takeKey(spec, purpose, options, env)
  return createAiSdkClient({
    model: spec,
    keyName,
    secrets: key === null ? [] : [key],
    contextTokens: windowByName(spec, baseUrl) ?? (await askContextWindow(baseUrl, name, { env })),
    baseUrl: options.baseUrl === undefined ? null : baseUrl,
    providerOptions: provider.providerOptions,
    cacheMarker: provider.cacheMarker,
    ids: provider.ids,
    takes: provider.takes(name),
    attachedTo: provider.attachedTo,
    language: await provider.open({ name, baseUrl, key }),
  })
}

/** The providers that need a key and whose key was found, in the order they are offered. */
export function findProvidersWithKeys(sources: KeySources): readonly string[] {
  return PROVIDER_NAMES.filter(
    (provider) => PROVIDERS[provider].needsKey && findKeyPlace({ provider, baseUrl: null }, sources) !== null,
  )
}

function openScript(spec: string): ModelClient {
  const file = spec.slice(SCRIPT.length)
  if (file === '') throw new ModelError('bad_request', 'script: needs a file, as in script:FILE.')
  const script = readScriptFile(spec, file)
  if (script === null) throw new ModelError('bad_request', `${spec}: file not found. Check the path.`)
  return createScriptClient(spec, script)
}

function readScriptFile(spec: string, file: string): string | null {
  try {
    return readTextIfExists(file, 'named', MAX_SCRIPT_BYTES)
  } catch (error) {
    if (!(error instanceof RefusedFileError)) throw error
    throw new ModelError('bad_request', `${spec}: cannot read the file: ${error.why}; ${error.advice}.`)
  }
}

/** The key of a model, and where it came from in words. */
async function takeKey(
  spec: string,
  purpose: KeyPurpose,
  { keys, key, signal }: OpenModelOptions,
  env: NonNullable<OpenModelOptions['env']>,
): Promise<{ readonly key: string | null; readonly keyName: string | null }> {
  const { keyNames, needsKey }: Provider = PROVIDERS[purpose.provider]
  if (key !== undefined) return { key, keyName: null }
  const sources = keys ?? { env, roots: [], file: null, command: null }
  const place = findKeyPlace(purpose, sources)
  if (place !== null)
    return { key: await readKeyAt(place, purpose, sources, signal), keyName: describePlace(place) }
  if (!needsKey) return { key: null, keyName: keyNames[0] ?? null }
  const setUp = keys === undefined ? 'Set' : 'Run tongs setup, or set'
  throw new ModelError('auth', `${spec} needs a key. ${setUp} ${keyNames.join(' or ')} in the environment.`)
}

function checkBaseUrl(spec: string, baseUrl: string | null): string {
  if (baseUrl === null)
    throw new ModelError(
      'bad_request',
      `${spec} needs a base URL, such as --base-url http://localhost:11434/v1.`,
    )
  const url = URL.parse(baseUrl)
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.username || url.password)
    throw new ModelError(
      'bad_request',
      'The base URL is not a plain http or https address. Give one without user and password.',
    )
  return plainUrl(baseUrl)
}

/** A model of each provider that is good at using tools; any other name can be given. */
export const USUAL_MODELS: Readonly<Record<string, string>> = {
  anthropic: 'anthropic/claude-sonnet-4-5',
  openai: 'openai/gpt-5',
  google: 'google/gemini-2.5-pro',
}

/** Models that can be used with the keys that were found, in the order they are offered. */
export function proposeModels(sources: KeySources): readonly string[] {
  return findProvidersWithKeys(sources).flatMap((provider) => USUAL_MODELS[provider] ?? [])
}
