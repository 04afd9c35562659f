import { resolve } from 'node:path'
import type { Settings } from '../config/keys.ts'
import type { ModelAddress } from '../journal/entries/model-note.ts'
import { personalKeys } from '../model/keys/provider-key.ts'
import { providerOf } from '../model/model-spec.ts'
import type { KeySources, OnOpenFile } from '../model/keys/key-sources.ts'

type ModelSettings = Pick<Settings, 'model.name' | 'model.base_url' | 'model.key_command'>
type KeySettings = ModelSettings & Pick<Settings, 'tools.sandbox.allowed_roots'>
type Environment = Readonly<Record<string, string | undefined>>

/** A model by its name, and its server if one was named with it. */
export interface NamedModel {
  readonly model: string | null
  readonly baseUrl: string | null
}

/** What decides about the model of a session. */
export interface ModelWish {
  /** Named on the command line. */
  readonly given: NamedModel
  /** Chosen since then for this session; null if nothing was. */
  readonly chosen?: NamedModel | null
  /** The last one used in the session. */
  readonly latest: ModelAddress | null
  readonly settings: ModelSettings
  readonly env: Environment
}

/** The model to use, and its server; null is the provider's own. */
export interface ResolvedModel {
  readonly spec: string
  readonly baseUrl: string | null
  /** Whether only the session knows the server. */
  readonly isServerOfSession: boolean
}

/**
 * Decides which model a session uses, and at which server: what was chosen, what the command line names, the session's
 * last, then the usual one. Null if there is none.
 */
export function resolveModel({ given, chosen, latest, settings, env }: ModelWish): ResolvedModel | null {
  const configured = settings['model.name']
  const usual = env['TONGS_MODEL'] || configured
  const spec = chosen?.model || given.model || latest?.model || usual
  if (spec === '') return null
  // An address on the command line belongs to one provider; the key of another is never sent there.
  const isMeant = !chosen?.model || serverOwner(spec) === serverOwner(given.model || usual)
  const configuredUrl = configuredServer(spec, settings)
  const ownUrl =
    chosen?.baseUrl ??
    (isMeant ? given.baseUrl : null) ??
    // What was set up counts for the model that was set up; any other one stays where the session had it.
    (spec === configured ? configuredUrl : null)
  const sessionUrl = latest?.model === spec ? latest.baseUrl : null
  const baseUrl = ownUrl ?? sessionUrl ?? configuredUrl
  return { spec, baseUrl, isServerOfSession: ownUrl === null && baseUrl !== configuredUrl }
}

/** Whose server an address is that was given beside a model; without a name, only a compatible one needs an address. */
function serverOwner(spec: string): string {
  return providerOf(spec) ?? 'compatible'
}

/** Where the user's keys may be: the key file, the configured command and the environment. */
export function keySourcesOf(
  settings: KeySettings,
  { env, root }: { readonly env: Environment; readonly root: string },
  onOpenFile?: OnOpenFile,
): KeySources {
  const roots = [root, ...settings['tools.sandbox.allowed_roots'].map((path) => resolve(root, path))]
  const world = { env, roots }
  const { 'model.name': name, 'model.key_command': words } = settings
  if (words.length === 0) return personalKeys(world, null, onOpenFile)
  // A command without a model is for any; one whose model has no provider is for none.
  const provider = name === '' ? null : (providerOf(name) ?? '')
  return personalKeys(world, { words, provider, baseUrl: settings['model.base_url'] || null }, onOpenFile)
}

/** The configured server, if it is the one of this model's provider; null is the provider's own. */
export function configuredServer(spec: string, settings: ModelSettings): string | null {
  const { 'model.name': name, 'model.base_url': baseUrl } = settings
  // Without a name, a compatible server is meant: only that needs an address.
  const provider = name === '' ? 'compatible' : providerOf(name)
  return baseUrl !== '' && provider !== null && provider === providerOf(spec) ? baseUrl : null
}
