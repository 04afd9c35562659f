import { join, resolve } from 'node:path'
import { loadSettings } from '../../config/load-settings.ts'
import type { FileText, LoadedSettings } from '../../config/load-settings.ts'
import { MANAGED_CONFIG_FILE, PROJECT_CONFIG_NAME, userConfigFile } from '../../host/fs/folders.ts'
import type { Environment } from '../../host/fs/folders.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import { kindOrMissing } from '../../host/confine/inspect-path.ts'
import { readTextIfExists, RefusedFileError } from '../../host/fs/plain-file.ts'
import type { Origin } from '../../host/fs/plain-file.ts'
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
  /** Whether to leave out the project's file, which may be about to be trusted. */
  readonly isWithoutProject?: boolean
  readonly configFile?: string | undefined
  readonly preset?: string | undefined
  readonly given?: Readonly<Record<string, unknown>> | undefined
  readonly set?: readonly string[] | undefined
}

/** Reads all layers from disk and merges them, or throws with every problem found. */
export async function loadConfiguration(source: ConfigurationSource): Promise<LoadedSettings> {
  const { root, stateDir, env, isPersonal } = source
  const isWithout = source.isWithoutProject === true
  const project = isWithout ? undefined : readLayer(join(root, PROJECT_CONFIG_NAME), 'project')
  const named = source.configFile === undefined ? undefined : readLayer(resolve(source.configFile), 'named')
  if (source.configFile !== undefined && named === undefined) {
    throw new ConfigurationError([
      { source: source.configFile, message: 'file not found', hint: 'check the path given with --config' },
    ])
  }
  const userFile = isPersonal ? readLayer(userConfigFile(env), 'settings') : undefined
  const result = await loadSettings({
    profile: source.profile,
    userFile,
    projectFile:
      project === undefined
        ? undefined
        : { ...project, trusted: readable(() => isTrusted(stateDir, root, project.text)) },
    env: isPersonal ? env : {},
    configFile: named,
    preset: source.preset,
    given: source.given,
    set: source.set ?? [],
    managedFile: readLayer(MANAGED_CONFIG_FILE, 'own'),
  })
  if (!result.ok) throw new ConfigurationError(result.problems)
  const missing = isPersonal && userFile === undefined ? sayMissing(env) : []
  const notices = [...missing, ...result.notices]
  const loaded: LoadedSettings = { ...result, notices, reload: () => loadConfiguration(source) }
  return named === undefined ? loaded : { ...loaded, configFile: named.path }
}

/** A file that the environment names may be made by `tongs setup` first, so that it is no fault. */
function sayMissing(env: Environment): readonly string[] {
  const named = env['TONGS_CONFIG'] ?? ''
  if (named === '' || kindOrMissing(resolve(named)) !== 'missing') return []
  return [
    `TONGS_CONFIG names ${showPath(named)}, which does not exist, so no settings of your own are in use`,
  ]
}

function readLayer(path: string, origin: Origin): FileText | undefined {
  const text = readable(() => {
    const found = readTextIfExists(path, origin)
    // A link says that there is a file, such as one on a share that is not mounted now.
    if (found === null && kindOrMissing(path) === 'link')
      throw new RefusedFileError(
        path,
        'it is a link that leads nowhere',
        'restore what it leads to, or remove it',
      )
    return found
  })
  return text === null ? undefined : { path, text }
}

/** The result of `read`; a file that cannot be read is a problem of the configuration. */
function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof RefusedFileError)) throw error
    const hint = `${error.advice}; it might forbid something, so nothing was run`
    throw new ConfigurationError([{ source: error.path, message: `cannot be read: ${error.why}`, hint }])
  }
}
