import { findLocalServers } from '../model/catalog/local-servers.ts'
import type { LocalServer } from '../model/catalog/local-servers.ts'
import { findKeyPlace } from '../model/keys/provider-key.ts'
import type { KeyPlace } from '../model/keys/provider-key.ts'
import type { KeySources } from '../model/keys/key-sources.ts'
import { PROVIDER_NAMES, PROVIDERS } from '../model/providers.ts'
import type { ProviderName } from '../model/providers.ts'
import type { Choice } from './setup-dialogs.ts'

/** A way to a model. */
export type Way =
  | { readonly is: 'provider'; readonly provider: ProviderName; readonly place: KeyPlace | null }
  | { readonly is: 'local'; readonly server: LocalServer }
  /** A server whose address has to be typed. */
  | { readonly is: 'address' }

/** The ways that are open now: those with a key, servers on this machine, then what needs something typed. */
export async function findWays(sources: KeySources): Promise<readonly Way[]> {
  const servers = await findLocalServers({ env: sources.env })
  const providers = PROVIDER_NAMES.filter((provider) => PROVIDERS[provider].needsKey).map(
    (provider): Way & { is: 'provider' } => ({
      is: 'provider',
      provider,
      place: findKeyPlace({ provider, baseUrl: null }, sources),
    }),
  )
  return [
    ...providers.filter(({ place }) => place !== null),
    ...servers.filter(({ models }) => models.length > 0).map((server): Way => ({ is: 'local', server })),
    ...providers.filter(({ place }) => place === null),
    { is: 'address' },
  ]
}

/** A way as a choice. */
export function showWay(way: Way): Choice<Way> {
  if (way.is === 'address')
    return { label: PROVIDERS.compatible.title, note: 'you type its address', value: way }
  if (way.is === 'local') {
    const { name, baseUrl, models } = way.server
    const count = models.length === 1 ? '1 model' : `${models.length} models`
    return { label: name, note: `running at ${URL.parse(baseUrl)?.host ?? baseUrl}, ${count}`, value: way }
  }
  const { title } = PROVIDERS[way.provider]
  return {
    label: title,
    note: way.place === null ? 'you paste a key' : `key found: ${nameOf(way.place)}`,
    value: way,
  }
}

/** Where a key is, in a few words. */
export function nameOf(place: KeyPlace): string {
  if (place.is === 'env') return place.name
  return place.is === 'command' ? 'model.key_command' : 'stored by tongs setup'
}

/** What a command line without a model can say: a sentence for each way that is open without typing anything. */
export function describeWays(ways: readonly Way[]): readonly string[] {
  return ways.flatMap((way) => {
    if (way.is === 'local') {
      const [first] = way.server.models
      if (first === undefined) return []
      return [
        `${way.server.name} is running: --model ${first.spec} --base-url ${way.server.baseUrl} uses it.`,
      ]
    }
    if (way.is !== 'provider' || way.place === null) return []
    return [`A key for ${PROVIDERS[way.provider].title} was found (${nameOf(way.place)}).`]
  })
}
