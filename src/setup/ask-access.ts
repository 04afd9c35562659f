import type { Environment } from '../host/fs/folders.ts'
import { listModels } from '../model/catalog/list-models.ts'
import type { ListedModel } from '../model/catalog/list-models.ts'
import { isKey, printKey } from '../model/keys/key-command.ts'
import { findKeyPlace, readKeyAt } from '../model/keys/provider-key.ts'
import type { KeyPurpose } from '../model/keys/provider-key.ts'
import type { KeySources } from '../model/keys/key-sources.ts'
import { plainUrl } from '../model/model-spec.ts'
import { ModelError } from '../model/model-client.ts'
import { PROVIDERS } from '../model/providers.ts'
import type { ProviderName } from '../model/providers.ts'
import { commandLine } from '../config/kinds/collection-kinds.ts'
import type { Way } from './find-ways.ts'
import { nameOf } from './find-ways.ts'
import { whyNotStored } from './save-setup.ts'
import type { SetupKey } from './save-setup.ts'
import type { SetupDialogs } from './setup-dialogs.ts'

/** A server that answered, with its models. */
export interface Access {
  readonly provider: ProviderName
  readonly baseUrl: string | null
  readonly key: SetupKey
  /** Empty if it has no list. */
  readonly models: readonly ListedModel[]
  /** Whether its list proves that it accepts the key. */
  readonly isProven: boolean
}

/** What asking needs. */
export interface AccessWorld {
  readonly env: Environment
  readonly root: string
  readonly sources: KeySources
  /** A server other than the provider's own, if it was given. */
  readonly baseUrl: string | null
}

const NO_KEY: SetupKey = { from: 'nowhere', key: null }

/** Gets access by a way: the address if it has to be typed, and a key that is tried by asking for the models. Null goes back. */
export async function askAccess(dialogs: SetupDialogs, way: Way, world: AccessWorld): Promise<Access | null> {
  if (way.is === 'local') {
    const { baseUrl, models } = way.server
    return { provider: 'compatible', baseUrl, key: NO_KEY, models, isProven: true }
  }
  const provider = way.is === 'address' ? 'compatible' : way.provider
  const baseUrl = world.baseUrl ?? (way.is === 'address' ? await askAddress(dialogs) : null)
  if (way.is === 'address' && baseUrl === null) return null
  return askWithKey(dialogs, { provider, baseUrl }, world)
}

/** Asks for another key, because a model did not accept the one there is. */
export function askOtherKey(
  dialogs: SetupDialogs,
  { provider, baseUrl }: Access,
  why: string,
  world: AccessWorld,
): Promise<Access | null> {
  return askUntilAccepted(dialogs, { provider, baseUrl }, world, { key: null, name: null, rows: [why] })
}

async function askWithKey(
  dialogs: SetupDialogs,
  purpose: KeyPurpose,
  world: AccessWorld,
): Promise<Access | null> {
  return askUntilAccepted(dialogs, purpose, world, await takeFound(dialogs, purpose, world.sources))
}

/** Asks for keys until one is accepted. */
async function askUntilAccepted(
  dialogs: SetupDialogs,
  purpose: KeyPurpose,
  world: AccessWorld,
  found: FoundKey,
): Promise<Access | null> {
  const { provider, baseUrl } = purpose
  const { needsKey } = PROVIDERS[provider]
  let rows = found.rows
  let key: SetupKey | null = found.key ?? (needsKey || rows.length > 0 ? null : NO_KEY)
  for (;;) {
    key ??= await askKey(dialogs, provider, rows, world)
    if (key === null) return null
    const { key: sent } = key
    const list = await dialogs.during(`Asking ${hostOf(purpose)} for its models…`, (signal) =>
      listModels({ provider, baseUrl, key: sent, signal }),
    )
    if (list === null) return null
    if (list.is === 'listed')
      // Some servers show their list to anyone.
      return { provider, baseUrl, key, models: list.models, isProven: needsKey || sent === null }
    if (list.why === 'auth') {
      const place = found.key === key ? found.name : null
      rows = [place === null ? list.message : `${list.message} It came from ${place}.`]
      key = null
      continue
    }
    const next = await askAfterFailure(dialogs, list.message)
    if (next === null) return null
    if (next === 'type') return { provider, baseUrl, key, models: [], isProven: false }
  }
}

/** A key that is there already; if it cannot be read, the rows say why. */
interface FoundKey {
  readonly key: SetupKey | null
  readonly name: string | null
  readonly rows: readonly string[]
}

async function takeFound(dialogs: SetupDialogs, purpose: KeyPurpose, sources: KeySources): Promise<FoundKey> {
  try {
    const place = findKeyPlace(purpose, sources)
    if (place === null) return { key: null, name: null, rows: [] }
    const name = nameOf(place)
    const key = await dialogs.during(`Reading the key (${name})…`, (signal) =>
      readKeyAt(place, purpose, sources, signal),
    )
    if (key === null) return { key: null, name: null, rows: [] }
    const [isFromCommand, isStored] = [place.is === 'command', place.is === 'file']
    return { key: { from: 'found', key, isFromCommand, isStored }, name, rows: [] }
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown
    return { key: null, name: null, rows: [thrown.message] }
  }
}

async function askAfterFailure(dialogs: SetupDialogs, message: string): Promise<'retry' | 'type' | null> {
  return dialogs.choose<'retry' | 'type'>({
    title: 'That did not work',
    rows: [message],
    choices: [
      { label: 'Try again', value: 'retry' },
      { label: 'Type the name of a model', note: 'without a list', value: 'type' },
    ],
  })
}

async function askAddress(dialogs: SetupDialogs): Promise<string | null> {
  let rows: readonly string[] = ['Such as http://127.0.0.1:11434/v1 or https://example.com/v1']
  for (;;) {
    const typed = await dialogs.type({ title: 'The address of the server', rows })
    if (typed === null || typed.trim() === '') return null
    const url = URL.parse(typed.trim())
    const isPlain =
      url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
    if (isPlain && url.search === '' && url.hash === '') return plainUrl(typed.trim())
    rows = ['That is not a plain http or https address. It ends in /v1 for most servers.']
  }
}

async function askKey(
  dialogs: SetupDialogs,
  provider: ProviderName,
  before: readonly string[],
  { env, root, sources }: AccessWorld,
): Promise<SetupKey | null> {
  const { title, needsKey, keyPage } = PROVIDERS[provider]
  const refusal = whyNotStored(env, root)
  let rows = before
  for (;;) {
    const typed =
      refusal === null
        ? await dialogs.type({
            title: needsKey ? `The key for ${title}` : 'The key for this server',
            isSecret: true,
            rows: [
              ...rows,
              ...(keyPage === null ? [] : [`You get one at ${keyPage}`]),
              'Paste it here; it is not shown. Only you can read the file it is stored in.',
              'Or press Enter to give a command that prints it.',
            ],
          })
        : ''
    if (typed === null) return null
    const key = typed.trim()
    if (key === '') {
      const answer = await askCommand(dialogs, sources, refusal === null ? [] : [refusal])
      if (answer !== null || refusal !== null) return answer
      rows = []
    } else if (isKey(key)) return { from: 'typed', key }
    else rows = ['That contains characters that no key has. Paste it again.']
  }
}

async function askCommand(
  dialogs: SetupDialogs,
  sources: KeySources,
  before: readonly string[],
): Promise<SetupKey | null> {
  let rows = before
  for (;;) {
    const typed = await dialogs.type({
      title: 'The command that prints the key',
      rows: [...rows, 'Such as pass show anthropic; it runs without a shell, whenever the key is needed.'],
    })
    if (typed === null || typed.trim() === '') return null
    const words = commandLine().read(typed.trim())
    if (!words.ok) {
      rows = [words.faults.map(({ message }) => message).join(' ')]
      continue
    }
    try {
      const key = await dialogs.during('Waiting for the command…', (signal) =>
        printKey(words.value, sources, { signal }),
      )
      if (key !== null) return { from: 'command', key, words: words.value }
      rows = []
    } catch (thrown) {
      if (!(thrown instanceof ModelError)) throw thrown
      rows = [thrown.message]
    }
  }
}

function hostOf({ provider, baseUrl }: KeyPurpose): string {
  const url = baseUrl ?? PROVIDERS[provider].baseUrl ?? ''
  return URL.parse(url)?.host ?? url
}
