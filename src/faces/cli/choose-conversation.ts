import type { ModelAddress } from '../../journal/entries/model-note.ts'
import { requireContinued } from '../../agent/sessions/find-continued.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { openModel, proposeModels } from '../../model/open-model.ts'
import type { KeySources } from '../../model/keys/key-sources.ts'
import { keySourcesOf, resolveModel } from '../../agent/model-access.ts'
import type { ParsedLine } from './arguments.ts'
import { safe } from './terminal.ts'
import type { Terminal } from './terminal.ts'
import { UsageError } from './errors.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** The session that a command line names or means; null begins a new one. */
export async function chooseSession(line: ParsedLine, runtime: Runtime): Promise<string | null> {
  const named = line.value('--session')
  if (named !== undefined) return named
  if (!line.has('--continue')) return null
  return requireContinued(runtime)
}

/** Opens the session and the model of a conversation, and says which they are. */
export async function openChosen(
  session: string | null,
  line: ParsedLine,
  runtime: Runtime,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<{ readonly session: string; readonly model: ModelClient }> {
  const latest = session === null ? null : runtime.goOnWith(session).model
  const model = await chooseModel(line, latest, runtime, terminal, signal)
  if (session !== null) await runtime.claim(session)
  const name = session ?? (await runtime.begin())
  if (!line.has('--json'))
    terminal.warn(
      safe(
        session !== null && line.has('--continue')
          ? `tongs: continuing session ${name} with ${describeModel(model)}`
          : `tongs: session ${name}`,
      ),
    )
  return { session: name, model }
}

/** The model of a command line. */
async function chooseModel(
  line: ParsedLine,
  latest: ModelAddress | null,
  { root, configuration: { settings } }: Pick<Runtime, 'root' | 'configuration'>,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ModelClient> {
  const given = { model: line.value('--model') ?? null, baseUrl: line.value('--base-url') ?? null }
  const found = resolveModel({ given, latest, settings, env: process.env })
  const keys = keySourcesOf(settings, { env: process.env, root }, (notice) =>
    terminal.warn(`tongs: ${notice}`),
  )
  if (found === null) throw await explainMissingModel(keys)
  const { spec, baseUrl } = found
  return openModel(spec, { keys, signal, ...(baseUrl === null ? {} : { baseUrl }) })
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
