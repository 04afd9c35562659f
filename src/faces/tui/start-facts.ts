import { findPreset } from '../../config/presets.ts'
import { describeProposals } from './describe-proposals.ts'
import type { OpenSession } from './desk.ts'
import type { StartFacts } from './draw/draw-start.ts'

/** What the app works with right now. */
export function startFacts(desk: OpenSession, sandbox: string | null, version: string): StartFacts {
  const { root, configuration } = desk.runtime
  return {
    version,
    root,
    session: desk.wish.session,
    mode: configuration.settings['tools.mode'],
    preset: findPreset(configuration.settings) ?? 'custom',
    sandbox,
    model: desk.conversation?.model().id ?? null,
    proposal: describeProposals(process.env),
  }
}
