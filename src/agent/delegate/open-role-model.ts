import type { ModelClient } from '../../model/model-client.ts'
import { openModel } from '../../model/open-model.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { configuredServer, keySourcesOf } from '../model-access.ts'

/** Opens the models that roles name, with the user's keys and at the user's servers. */
export function openRoleModels(
  { root, configuration: { settings } }: Pick<Runtime, 'root' | 'configuration'>,
  env: Readonly<Record<string, string | undefined>>,
): (spec: string) => Promise<ModelClient> {
  return (spec) => {
    const baseUrl = configuredServer(spec, settings)
    const keys = keySourcesOf(settings, { env, root })
    return openModel(spec, { keys, ...(baseUrl === null ? {} : { baseUrl }) })
  }
}
