import { serverFor, findLastModel } from '../../agent/log/last-model.ts'
import type { ModelAddress } from '../../agent/log/last-model.ts'
import { findContinued } from '../../agent/sessions/find-continued.ts'
import { ModelError } from '../../model/model-client.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { openModel, proposeModels } from '../../model/open-model.ts'
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
  const found = await findContinued(runtime)
  if (found.is === 'one') return found.session
  if (found.is === 'none')
    throw new UsageError(
      'there is no session to continue in this folder',
      'leave out --continue to begin one',
    )
  throw new UsageError(
    `several sessions have a turn to go on with: ${found.sessions.map(safe).join(', ')}`,
    'choose one with --session NAME',
  )
}

/** Opens the session and the model of a conversation, and says which they are. */
export async function openChosen(
  session: string | null,
  line: ParsedLine,
  runtime: Runtime,
  terminal: Terminal,
): Promise<{ readonly session: string; readonly model: ModelClient }> {
  const latest = session === null ? null : findLastModel(runtime.peek(session))
  const model = await chooseModel(line, latest)
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

/** The model of a command line; one that cannot be opened is a usage error. */
async function chooseModel(line: ParsedLine, latest: ModelAddress | null): Promise<ModelClient> {
  const spec = line.value('--model') ?? latest?.model ?? process.env['TONGS_MODEL'] ?? ''
  if (spec === '') throw new UsageError('run needs a model', proposal())
  const baseUrl = serverFor(spec, line.value('--base-url') ?? null, latest)
  try {
    return await openModel(spec, { env: process.env, ...(baseUrl === null ? {} : { baseUrl }) })
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

/** Suggests models by the keys that are set, without showing the keys. */
function proposal(): string {
  const [first, ...others] = proposeModels(process.env)
  if (first === undefined)
    return 'give --model, such as anthropic/NAME or script:FILE, or set TONGS_MODEL; no provider key was found'
  const more = others.length === 0 ? '' : `, or ${others.join(' or ')}`
  return `a key was found, so try --model ${first}${more}`
}
