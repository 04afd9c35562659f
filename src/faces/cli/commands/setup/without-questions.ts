import { configuredServer, keySourcesOf } from '../../../../agent/model-access.ts'
import { commandLine } from '../../../../config/kinds/collection-kinds.ts'
import { isKey, printKey } from '../../../../model/keys/key-command.ts'
import { findKeyPlace, readKeyAt } from '../../../../model/keys/provider-key.ts'
import type { KeySources } from '../../../../model/keys/key-sources.ts'
import type { KeyPurpose } from '../../../../model/keys/provider-key.ts'
import { providerOf } from '../../../../model/model-spec.ts'
import { ModelError } from '../../../../model/model-client.ts'
import { PROVIDERS } from '../../../../model/providers.ts'
import { saveSetup, whyNotStored } from '../../../../setup/save-setup.ts'
import type { SetupKey } from '../../../../setup/save-setup.ts'
import type { SetupWorld } from '../../../../setup/run-setup.ts'
import { tryModel } from '../../../../setup/try-model.ts'
import type { ParsedLine } from '../../arguments.ts'
import { UsageError } from '../../errors.ts'
import { readStdin } from '../../stdin.ts'
import { safe } from '../../terminal.ts'
import type { Terminal } from '../../terminal.ts'

/** Sets up the model that the command line names, after one small request to it. */
export async function setUpWithoutQuestions(
  line: ParsedLine,
  terminal: Terminal,
  world: SetupWorld,
  signal: AbortSignal,
): Promise<number> {
  const spec = line.value('--model') ?? ''
  const provider = providerOf(spec)
  if (provider === null)
    throw new UsageError(
      `${JSON.stringify(spec)} is not a model that can be set up`,
      'give anthropic/NAME, openai/NAME, google/NAME, or compatible/NAME with --base-url',
    )
  const baseUrl = line.value('--base-url') ?? configuredServer(spec, world.settings)
  if (provider === 'compatible' && baseUrl === null)
    throw new UsageError(`${spec} needs a server`, 'give --base-url, such as http://127.0.0.1:11434/v1')
  const warn = (notice: string): void => terminal.warn(`tongs: ${notice}`)
  try {
    const key = await takeKey(
      line,
      { provider, baseUrl },
      keySourcesOf(world.settings, world, warn),
      world,
      signal,
    )
    const trial = await tryModel({ spec, baseUrl, key: key.key, signal })
    if (!trial.ok) throw new ModelError('other', trial.message)
    const chosen = { spec, provider, baseUrl, key, contextTokens: null }
    for (const sentence of await saveSetup(chosen, world, warn)) terminal.say(safe(sentence))
    return 0
  } catch (thrown) {
    if (signal.aborted) return 130
    if (!(thrown instanceof ModelError)) throw thrown
    terminal.warn(`tongs: ${thrown.message} Nothing was changed.`)
    return 1
  }
}

async function takeKey(
  line: ParsedLine,
  purpose: KeyPurpose,
  sources: KeySources,
  { env, root }: SetupWorld,
  signal: AbortSignal,
): Promise<SetupKey> {
  const command = line.value('--key-command')
  if (command !== undefined && line.has('--key-stdin'))
    throw new UsageError('--key-command and --key-stdin exclude each other', 'give one of them')
  if (command !== undefined) {
    const words = commandLine().read(command)
    if (!words.ok || words.value.length === 0)
      throw new UsageError('--key-command is not one program with plain words', 'no shell runs it')
    return { from: 'command', key: await printKey(words.value, sources, { signal }), words: words.value }
  }
  if (line.has('--key-stdin')) {
    const refusal = whyNotStored(env, root)
    if (refusal !== null) throw new UsageError(refusal.replace(/\.$/, ''), 'use --key-command instead')
    const key = readStdin('the key').trim()
    if (isKey(key)) return { from: 'typed', key }
    throw new UsageError('stdin does not hold a key', 'a key is one word of plain characters')
  }
  const place = findKeyPlace(purpose, sources)
  if (place !== null) {
    const [isFromCommand, isStored] = [place.is === 'command', place.is === 'file']
    return { from: 'found', key: await readKeyAt(place, purpose, sources, signal), isFromCommand, isStored }
  }
  const { needsKey, keyNames } = PROVIDERS[purpose.provider]
  if (!needsKey) return { from: 'nowhere', key: null }
  throw new UsageError(
    `no key for ${PROVIDERS[purpose.provider].title} was found`,
    `set ${keyNames.join(' or ')}, or give --key-command COMMAND or --key-stdin`,
  )
}
