import { findPreset } from '../../config/presets.ts'
import type { AppSession } from './app-session.ts'
import type { StartFacts } from './draw/draw-start.ts'
import { findProvidersWithKeys } from '../../model/open-model.ts'
import { keySourcesOf } from '../../agent/model-access.ts'
import { isProviderName, PROVIDERS } from '../../model/providers.ts'
import type { Settings } from '../../config/keys.ts'
import { homeFolder } from '../../host/fs/folders.ts'
import { explainThrown } from './explain-thrown.ts'
import { findShellConfinement } from '../../runtime/shell/shell-confinement.ts'
import type { AppOpening } from '../../terminal/app-opening.ts'

/** The current facts. */
export function startFacts(session: AppSession, sandbox: string | null, version: string): StartFacts {
  const { root, configuration } = session.runtime
  return {
    version,
    root: fromHome(root, homeFolder(process.env)),
    session: session.request.session,
    mode: configuration.settings['tools.mode'],
    preset: findPreset(configuration.settings) ?? 'custom',
    sandbox,
    model: session.conversation?.model().id ?? null,
    proposal: describeKeys(session),
  }
}

/** A folder as people write it. */
function fromHome(folder: string, home: string): string {
  return home !== '/' && `${folder}/`.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder
}

/** Looked up once for each session, because this is drawn again and again. */
const keysFound = new WeakMap<AppSession, string>()

function describeKeys(session: AppSession): string {
  const known = keysFound.get(session) ?? findKeys(session)
  keysFound.set(session, known)
  return known
}

/** Says which providers have a key, without showing the keys. */
function findKeys({ runtime }: AppSession): string {
  try {
    const notices: string[] = []
    const { settings } = runtime.configuration
    const sources = keySourcesOf(settings, { env: process.env, root: runtime.root }, (notice) =>
      notices.push(notice),
    )
    const found = findProvidersWithKeys(sources)
      .filter(isProviderName)
      .map((provider) => PROVIDERS[provider].title)
    const keys = found.length === 0 ? [] : [`Keys were found for ${found.join(' and ')}.`]
    return [...notices, ...keys].join(' ')
  } catch (thrown) {
    return explainThrown(thrown)
  }
}

/** The command sandbox, in words. */
export async function findSandbox(
  settings: Settings,
  { root, stateDir }: Pick<AppOpening, 'root' | 'stateDir'>,
): Promise<string> {
  try {
    const rung = await findShellConfinement(settings, { roots: [root], stateDir })
    return rung.holds ? rung.label : `none, so no commands run: ${rung.reason}`
  } catch (thrown) {
    return `unknown: ${explainThrown(thrown)}`
  }
}
