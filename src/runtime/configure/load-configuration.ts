import { join, resolve } from 'node:path'
import { loadSettings } from '../../config/load-settings.ts'
import type { FileText, LoadedSettings } from '../../config/load-settings.ts'
import {
  MANAGED_CONFIG_FILE,
  PROJECT_CONFIG_NAME,
  readTextIfExists,
  userConfigFile,
} from '../../host/fs/folders.ts'
import type { Environment } from '../../host/fs/folders.ts'
import { ConfigurationError } from './configuration-error.ts'
import { isTrusted } from './trust.ts'

/** Which layers to read, and what the caller adds. */
export interface ConfigurationSource {
  /** The canonical root. */
  readonly root: string
  readonly stateDir: string
  readonly env: Environment
  readonly profile?: string | undefined
  /** Whether to read the user's own file and the environment; the library does not. */
  readonly isPersonal: boolean
  readonly configFile?: string | undefined
  readonly preset?: string | undefined
  readonly given?: Readonly<Record<string, unknown>> | undefined
  readonly set?: readonly string[] | undefined
}

/** Reads all layers from disk and merges them, or throws with every problem found. */
export async function loadConfiguration(source: ConfigurationSource): Promise<LoadedSettings> {
  const { root, stateDir, env, isPersonal } = source
  const project = readLayer(join(root, PROJECT_CONFIG_NAME))
  const named = source.configFile === undefined ? undefined : readLayer(resolve(source.configFile))
  if (source.configFile !== undefined && named === undefined) {
    throw new ConfigurationError([
      { source: source.configFile, message: 'file not found', hint: 'check the path given with --config' },
    ])
  }
  const result = await loadSettings({
    profile: source.profile,
    userFile: isPersonal ? readLayer(userConfigFile(env)) : undefined,
    projectFile:
      project === undefined ? undefined : { ...project, trusted: isTrusted(stateDir, root, project.text) },
    env: isPersonal ? env : {},
    configFile: named,
    preset: source.preset,
    given: source.given,
    set: source.set ?? [],
    managedFile: readLayer(MANAGED_CONFIG_FILE),
  })
  if (!result.ok) throw new ConfigurationError(result.problems)
  return result
}

function readLayer(path: string): FileText | undefined {
  try {
    const text = readTextIfExists(path)
    return text === null ? undefined : { path, text }
  } catch (error) {
    const message = `cannot be read: ${error instanceof Error ? error.message : 'unknown reason'}`
    throw new ConfigurationError([
      {
        source: path,
        message,
        hint: 'an unreadable configuration might forbid something, so nothing was run',
      },
    ])
  }
}
