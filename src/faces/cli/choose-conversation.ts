import { USUAL_SESSION } from '../../config/fixed-values.ts'
import { serverFor, foldLastModel } from '../../agent/log/last-model.ts'
import type { ModelAddress } from '../../agent/log/last-model.ts'
import { ModelError } from '../../model/model-client.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { openModel, proposeModels } from '../../model/open-model.ts'
import { noticeOpenFile } from '../../model/keys/stored-keys.ts'
import type { KeySources } from '../../model/keys/key-sources.ts'
import { configuredServer, keySourcesOf } from '../../agent/model-access.ts'
import type { Settings } from '../../config/keys.ts'
import type { ParsedLine } from './arguments.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './errors.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** The session and the model that a command line means. */
export async function chooseConversation(
  line: ParsedLine,
  runtime: Runtime,
  terminal: Terminal,
): Promise<{ readonly session: string; readonly model: ModelClient }> {
  const named = line.value('--session')
  const found = line.has('--continue') ? findConversation(runtime, named) : null
  const session = named ?? found?.session ?? USUAL_SESSION
  const model = await chooseModel(line, found?.partner ?? null, runtime.configuration.settings, terminal)
  if (found !== null && !line.has('--json'))
    terminal.warn(`tongs: continuing session ${session} with ${describeModel(model)}`)
  return { session, model }
}

/** The model of a command line; one that cannot be opened is a usage error. */
async function chooseModel(
  line: ParsedLine,
  latest: ModelAddress | null,
  settings: Settings,
  terminal: Terminal,
): Promise<ModelClient> {
  const spec =
    line.value('--model') ?? (process.env['TONGS_MODEL'] || latest?.model) ?? settings['model.name']
  const keys = keySourcesOf(settings, process.env)
  const notice = keys.file === null ? null : noticeOpenFile(keys.file)
  if (notice !== null) terminal.warn(`tongs: ${notice}`)
  if (spec === '') throw await explainMissingModel(keys)
  const baseUrl =
    serverFor(spec, line.value('--base-url') ?? null, latest) ?? configuredServer(spec, settings)
  try {
    return await openModel(spec, { keys, ...(baseUrl === null ? {} : { baseUrl }) })
  } catch (thrown) {
    if (thrown instanceof ModelError)
      throw new UsageError(thrown.message.replace(/\.$/, ''), 'see tongs --help for the available models')
    throw thrown
  }
}

/** A model in words, with its server if that is not the provider's own. */
function describeModel({ id, baseUrl }: ModelClient): string {
  return baseUrl === undefined ? id : `${id} at ${baseUrl}`
}

/** What to do without a model, with what was found: at most two steps. */
async function explainMissingModel(keys: KeySources): Promise<UsageError> {
  const { describeWays, findWays } = await import('../../setup/find-ways.ts')
  const found = describeWays(await findWays(keys))
  const proposals = proposeModels(keys)
  const models = proposals.length === 0 ? 'anthropic/NAME' : proposals.join(', or ')
  const hint = `run tongs setup once, then run this again; or give --model ${models}`
  return new UsageError('run needs a model, and none is set up', [hint, ...found].join('\ntongs: '))
}

/** A session and its last model. */
interface FoundConversation {
  readonly session: string
  readonly partner: ModelAddress | null
}

/** The newest conversation of this root, or that of one session; null if nothing was ever said. */
function findConversation(runtime: Runtime, session?: string): FoundConversation | null {
  const names = session === undefined ? runtime.sessions().map(({ name }) => name) : [session]
  for (const name of names) {
    const found = readConversation(runtime, name)
    if (found !== null) return found
  }
  return null
}

function readConversation(runtime: Runtime, session: string): FoundConversation | null {
  let isSpoken = false
  let partner: ModelAddress | null = null
  for (const { entry } of runtime.log({ session })) {
    isSpoken ||= entry.kind === 'said'
    partner = foldLastModel(partner, entry)
  }
  return isSpoken ? { session, partner } : null
}
