import { keySourcesOf } from '../../agent/model-access.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { showTokens } from '../../model/catalog/context-windows.ts'
import { listModels } from '../../model/catalog/list-models.ts'
import type { ListedModel } from '../../model/catalog/list-models.ts'
import { findKeyPlace, readKeyAt } from '../../model/keys/provider-key.ts'
import type { KeyPurpose } from '../../model/keys/provider-key.ts'
import type { KeySources } from '../../model/keys/key-sources.ts'
import { providerOf } from '../../model/model-spec.ts'
import { ModelError } from '../../model/model-client.ts'
import { findWays } from '../../setup/find-ways.ts'
import { askContext, preferred } from '../../setup/pick-model.ts'
import type { Choice, SetupDialogs } from '../../setup/setup-dialogs.ts'

/** A model that the session is to use. */
export interface ModelChoice {
  readonly spec: string
  readonly baseUrl: string | null
  /** The size of its context window, as far as the list or the person told it. */
  readonly contextTokens: number | null
}

/** What is in use now. */
export interface ModelInUse {
  readonly spec: string | null
  readonly baseUrl: string | null
}

type Picked = ModelChoice | 'none' | 'setup'

/** The models of one server, or why there are none. */
interface Offer {
  readonly choices: readonly Choice<ModelChoice>[]
  readonly fault: string | null
}

/**
 * Lets the person choose among the models of every provider whose key was found, of the server in use and of the servers on
 * this machine. Null changes nothing.
 */
export async function chooseModel(
  dialogs: SetupDialogs,
  { root, configuration: { settings } }: Pick<Runtime, 'root' | 'configuration'>,
  inUse: ModelInUse,
): Promise<Picked | null> {
  const sources = keySourcesOf(settings, { env: process.env, root })
  const offers = await dialogs.during('Asking for the models…', (signal) =>
    findOffers(sources, inUse, signal),
  )
  if (offers === null) return null
  const models = offers.flatMap(({ choices }) => choices)
  const picked = await dialogs.choose<Picked>({
    title: inUse.spec === null ? 'Which model?' : `Which model? Now it is ${inUse.spec}.`,
    rows: offers.flatMap(({ fault }) => (fault === null ? [] : [fault])),
    choices: [
      ...models,
      { label: 'Set up a provider', note: 'another key or server', value: 'setup' },
      { label: 'none', note: 'you type the calls yourself', value: 'none' },
    ],
    other: (typed) =>
      /^\w+\/\S+$|^script:\S+$/.test(typed.trim())
        ? { spec: typed.trim(), baseUrl: null, contextTokens: null }
        : null,
  })
  if (picked === null || typeof picked === 'string' || picked.contextTokens !== null) return picked
  if (picked.spec.startsWith('script:') || settings['model.context_tokens'] > 0) return picked
  const contextTokens = await askContext(dialogs, { ...picked, isTyped: true })
  return contextTokens === 'back' ? null : { ...picked, contextTokens }
}

async function findOffers(
  sources: KeySources,
  inUse: ModelInUse,
  signal: AbortSignal,
): Promise<readonly Offer[]> {
  const ways = await findWays(sources)
  const remote = ways.flatMap((way) =>
    way.is === 'provider' && way.place !== null ? [offerOf({ provider: way.provider, baseUrl: null })] : [],
  )
  const local = ways.flatMap((way): readonly Offer[] =>
    way.is === 'local' ? [show(way.server.models, way.server.baseUrl, way.server.name)] : [],
  )
  const known = new Set(ways.flatMap((way) => (way.is === 'local' ? [way.server.baseUrl] : [])))
  const provider = providerOf(inUse.spec ?? '')
  const isOther = inUse.baseUrl !== null && !known.has(inUse.baseUrl) && provider !== null
  const other = isOther ? [offerOf({ provider, baseUrl: inUse.baseUrl })] : []
  return [...(await Promise.all([...other, ...remote])), ...local]

  async function offerOf(purpose: KeyPurpose): Promise<Offer> {
    try {
      const place = findKeyPlace(purpose, sources)
      const key = place === null ? null : await readKeyAt(place, purpose, sources, signal)
      const list = await listModels({ ...purpose, key, signal })
      if (list.is === 'failed') return { choices: [], fault: list.message }
      return show(preferred(list.models, purpose.provider), purpose.baseUrl, null)
    } catch (thrown) {
      if (!(thrown instanceof ModelError)) throw thrown
      return { choices: [], fault: thrown.message }
    }
  }
}

function show(models: readonly ListedModel[], baseUrl: string | null, server: string | null): Offer {
  const choices = models.map(({ spec, contextTokens }): Choice<ModelChoice> => {
    const note = [server, contextTokens === null ? null : `${showTokens(contextTokens)} tokens`]
      .filter((part) => part !== null)
      .join(', ')
    return { label: spec, ...(note === '' ? {} : { note }), value: { spec, baseUrl, contextTokens } }
  })
  return { choices, fault: null }
}
