import { serverFor } from '../../agent/log/spoken-with.ts'
import type { SpokenWith } from '../../agent/log/spoken-with.ts'
import { ModelError } from '../../model/model-client.ts'
import type { ModelClient } from '../../model/model-client.ts'
import { openModel } from '../../model/open-model.ts'
import { proposeModels } from '../../model/propose-model.ts'
import type { ParsedLine } from './arguments.ts'
import { UsageError } from './trouble.ts'

/** The model that a command line means; one that cannot be had is a matter of how the command was called. */
export async function chooseModel(line: ParsedLine, latest: SpokenWith | null): Promise<ModelClient> {
  const spec = line.value('--model') ?? process.env['TONGS_MODEL'] ?? latest?.model ?? ''
  if (spec === '') throw new UsageError('run needs a model', proposal())
  const baseUrl = serverFor(spec, line.value('--base-url') ?? null, latest)
  try {
    return await openModel(spec, { env: process.env, ...(baseUrl === null ? {} : { baseUrl }) })
  } catch (thrown) {
    if (thrown instanceof ModelError)
      throw new UsageError(thrown.message.replace(/\.$/, ''), 'see tongs --help for the models there are')
    throw thrown
  }
}

/** A model in words, with the server it is reached at where that is not the provider's own. */
export function describeModel({ id, baseUrl }: ModelClient): string {
  return baseUrl === undefined ? id : `${id} at ${baseUrl}`
}

/** What could be used with the keys that are set; the keys themselves are nobody's business. */
function proposal(): string {
  const [first, ...others] = proposeModels(process.env)
  if (first === undefined)
    return 'give --model, such as anthropic/NAME or script:FILE, or set TONGS_MODEL; no key of a provider was found'
  const more = others.length === 0 ? '' : `, or ${others.join(' or ')}`
  return `a key was found, so try --model ${first}${more}`
}
