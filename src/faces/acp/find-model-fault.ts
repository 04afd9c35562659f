import { keySourcesOf, resolveModel } from '../../agent/model-access.ts'
import { ModelError } from '../../model/model-client.ts'
import { openModel } from '../../model/open-model.ts'
import type { AcpServing } from '../../runtime/acp-serving.ts'

/** Why a new session would have no model to talk to; null if it would have one. */
export async function findModelFault(serving: AcpServing): Promise<string | null> {
  const { settings } = await serving.load(serving.root, serving.preset)
  const found = resolveModel({ given: serving, latest: null, settings, env: process.env })
  if (found === null) return 'No model is set up yet.'
  const keys = keySourcesOf(settings, { env: process.env, root: serving.root })
  const { spec, baseUrl } = found
  try {
    await openModel(spec, { keys, ...(baseUrl === null ? {} : { baseUrl }) })
    return null
  } catch (thrown) {
    if (thrown instanceof ModelError) return thrown.message
    throw thrown
  }
}
