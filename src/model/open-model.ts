import { readEnvironment } from '../host/system/process.ts'
import { readTextIfExists, RefusedFileError } from '../host/fs/plain-file.ts'
import { createAiSdkClient } from './ai-sdk-client.ts'
import { ModelError } from './model-client.ts'
import type { ModelClient } from './model-client.ts'
import { isProviderName, PROVIDERS } from './providers.ts'
import type { Provider } from './providers.ts'
import { createScriptClient } from './script-client.ts'

/** Where to find keys, and a server other than the provider's own. */
export interface OpenModelOptions {
  /** The environment of this process by default. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly baseUrl?: string
}

const SCRIPT = 'script:'
const MAX_SCRIPT_BYTES = 64 * 1024 ** 2
const CHOICES = 'anthropic/NAME, openai/NAME, google/NAME, compatible/NAME with a base URL, or script:FILE'

/** Opens a model by a name such as `anthropic/NAME` or `script:FILE`; throws a ModelError if it cannot. */
export async function openModel(spec: string, options: OpenModelOptions = {}): Promise<ModelClient> {
  if (spec.startsWith(SCRIPT)) return openScript(spec)
  const slash = spec.indexOf('/')
  const [word, name] = [spec.slice(0, Math.max(slash, 0)), spec.slice(slash + 1)]
  if (!isProviderName(word) || name === '' || /\s/.test(name))
    throw new ModelError('bad_request', `${JSON.stringify(spec)} is not a model. Give one of ${CHOICES}.`)
  const provider: Provider = PROVIDERS[word]
  const { key, keyName } = findKey(spec, provider, options.env ?? readEnvironment())
  const baseUrl = checkBaseUrl(spec, options.baseUrl ?? provider.baseUrl)
  return createAiSdkClient({
    model: spec,
    keyName,
    secrets: key === null ? [] : [key],
    contextTokens: contextTokensOf(spec),
    baseUrl: options.baseUrl === undefined ? null : baseUrl,
    providerOptions: provider.providerOptions,
    cacheMarker: provider.cacheMarker,
    ids: provider.ids,
    language: await provider.open({ name, baseUrl, key }),
  })
}

/** The providers whose keys are set, in the order they are offered. */
export function findProvidersWithKeys(env: NonNullable<OpenModelOptions['env']>): readonly string[] {
  return Object.entries(PROVIDERS)
    .filter(([, { keyNames, needsKey }]) => needsKey && keyNames.some((name) => isSet(env[name])))
    .map(([word]) => word)
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

const isSet = (value: string | undefined): value is string => value !== undefined && value.trim() !== ''

function findKey(
  spec: string,
  { keyNames, needsKey }: Provider,
  env: NonNullable<OpenModelOptions['env']>,
): { readonly key: string | null; readonly keyName: string | null } {
  const keyName = keyNames.find((name) => isSet(env[name])) ?? null
  const key = keyName === null ? null : (env[keyName]?.trim() ?? null)
  if (key === null && needsKey)
    throw new ModelError('auth', `${spec} needs a key. Set ${keyNames.join(' or ')} in the environment.`)
  // A key that no header can carry would be quoted in the resulting error.
  if (key !== null && !/^[\x21-\x7e]+$/.test(key))
    throw new ModelError('auth', `${keyName ?? ''} contains characters that no key has. Set it again.`)
  return { key, keyName: keyName ?? keyNames[0] ?? null }
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
  return baseUrl.replace(/\/+$/, '')
}

/** Context windows by model family, as published; the first match counts. */
const CONTEXT_TOKENS: readonly (readonly [RegExp, number])[] = [
  [/^anthropic\/claude-/, 200_000],
  [/^google\/gemini-/, 1_048_576],
  [/^openai\/gpt-4\.1/, 1_047_576],
  [/^openai\/gpt-4o/, 128_000],
  [/^openai\/gpt-5/, 272_000],
  [/^openai\/o[134]/, 200_000],
]

/** The context window of a model in tokens, or null if unknown. */
function contextTokensOf(model: string): number | null {
  return CONTEXT_TOKENS.find(([family]) => family.test(model))?.[1] ?? null
}

/** A model of each provider that is good at using tools; any other name can be given. */
const USUAL: Readonly<Record<string, string>> = {
  anthropic: 'anthropic/claude-sonnet-4-5',
  openai: 'openai/gpt-5',
  google: 'google/gemini-2.5-pro',
}

/** Models that can be used with the keys that are set, in the order they are offered. */
export function proposeModels(env: NonNullable<OpenModelOptions['env']>): readonly string[] {
  return findProvidersWithKeys(env).flatMap((provider) => USUAL[provider] ?? [])
}
