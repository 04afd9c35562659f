import { keySourcesOf } from '../../../../agent/model-access.ts'
import type { Settings } from '../../../../config/keys.ts'
import type { Environment } from '../../../../host/fs/folders.ts'
import { SIGN_IN_PREFIX } from '../../../../servers/sign-in/stored-sign-in.ts'
import { readStoredKeys } from '../../../../model/keys/stored-keys.ts'
import { ModelError } from '../../../../model/model-client.ts'
import { PROVIDER_NAMES, PROVIDERS } from '../../../../model/providers.ts'
import type { DoctorLine } from './doctor-line.ts'

/** The configured model, and where keys were found; never a key. */
export function examineModel(settings: Settings, env: Environment): readonly DoctorLine[] {
  const { 'model.name': name, 'model.base_url': baseUrl, 'model.key_command': command } = settings
  const where = baseUrl === '' ? name : `${name} at ${baseUrl}`
  const { file } = keySourcesOf(settings, { env, root: '/' })
  const stored = examineFile(file ?? '')
  const variables = PROVIDER_NAMES.flatMap((provider) => PROVIDERS[provider].keyNames)
  return [
    {
      name: 'model',
      value: name === '' ? 'none configured' : where,
      isFine: true,
      ...(name === '' ? { hint: 'tongs setup chooses one' } : {}),
    },
    {
      name: 'model keys found',
      value: [
        ...variables.filter((variable) => (env[variable] ?? '').trim() !== ''),
        ...stored.entries.map((entry) => `${entry} in ${file}`),
        ...(command.length === 0 ? [] : ['model.key_command']),
      ],
      isFine: true,
    },
    ...stored.faults,
  ]
}

function examineFile(file: string): {
  readonly entries: readonly string[]
  readonly faults: readonly DoctorLine[]
} {
  try {
    const faults: DoctorLine[] = []
    const stored = readStoredKeys(file, (value) => faults.push({ name: 'key file', value, isFine: false }))
    return { entries: [...stored.keys()].filter((name) => !name.startsWith(SIGN_IN_PREFIX)), faults }
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown
    return { entries: [], faults: [{ name: 'key file', value: thrown.message, isFine: false }] }
  }
}
