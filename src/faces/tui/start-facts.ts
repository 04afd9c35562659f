import { findPreset } from '../../config/presets.ts'
import type { AppSession } from './app-session.ts'
import type { StartFacts } from './draw/draw-start.ts'
import { proposeModels } from '../../model/open-model.ts'
import type { Settings } from '../../config/keys.ts'
import { explainThrown } from './explain-thrown.ts'
import { findShellConfinement } from '../../runtime/shell/shell-confinement.ts'

/** The current facts. */
export function startFacts(session: AppSession, sandbox: string | null, version: string): StartFacts {
  const { root, configuration } = session.runtime
  return {
    version,
    root,
    session: session.request.session,
    mode: configuration.settings['tools.mode'],
    preset: findPreset(configuration.settings) ?? 'custom',
    sandbox,
    model: session.conversation?.model().id ?? null,
    proposal: describeProposals(process.env),
  }
}

/** Suggests models by the provider keys that are set, without showing the keys. */
export function describeProposals(env: Readonly<Record<string, string | undefined>>): string {
  const found = proposeModels(env)
  return found.length === 0
    ? 'No model provider keys were found in the environment.'
    : `With the keys that are set, try /model ${found.join(' or ')}.`
}

/** The command sandbox, in words. */
export async function findSandbox(settings: Settings, root: string): Promise<string> {
  try {
    const rung = await findShellConfinement(settings, { roots: [root] })
    return rung.holds ? rung.label : `none, so no commands run: ${rung.reason}`
  } catch (thrown) {
    return `unknown: ${explainThrown(thrown)}`
  }
}
