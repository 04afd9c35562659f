import type { Clock } from '../../core/clock.ts'
import type { Registry } from '../../core/registry.ts'
import { digest } from '../../host/system/hash.ts'
import { findHeld, supply } from '../../pipeline/approve/held.ts'
import { isReadyToGoOn } from '../../pipeline/parse/parked-batch.ts'
import { readNearNotes } from '../notes/near-notes.ts'
import { readStartNotes } from '../notes/read-notes.ts'
import type { NotesDeps } from '../notes/read-notes.ts'
import type { ConversationSource } from '../runtime.ts'
import { verifying } from './choices/newest-sealed.ts'
import { noteModel, relyOnModel } from './choices/session-model.ts'
import { noteOpened } from './choices/session-preset.ts'
import { storeResult } from './stored-outputs.ts'
import type { OutputDeps } from './stored-outputs.ts'

/** What a conversation's source needs. */
export interface SourceDeps extends NotesDeps, OutputDeps {
  readonly registry: Registry
  readonly clock: Clock
  readonly newId: () => string
}

/** Opens what a conversation needs of its session. */
export function openSource(deps: SourceDeps): ConversationSource {
  const { log, settings, workspace, clock, newId, hide } = deps
  return {
    log,
    digest,
    newId,
    elapsed: clock.elapsed,
    contentOf: workspace.readSide,
    noteOpened: (by, preset) => noteOpened(log, by, preset),
    lastModel: () => relyOnModel(verifying(log)),
    noteModel: (address) => noteModel(log, address),
    storeOutput: (name, text) => storeResult({ session: log.key, name }, text, deps),
    environment: async () => {
      // Loaded on demand: a session that goes on has it on record.
      const { describeEnvironment } = await import('./environment.ts')
      return describeEnvironment({ log, settings, workspace, clock, hide })
    },
    project: async () => {
      const { describeProject } = await import('../notes/describe-project.ts')
      return describeProject(deps)
    },
    notes: () => readStartNotes(deps),
    nearNotes: (calls, told) => readNearNotes(calls, told, deps),
    isReadyToGoOn: (batch) => isReadyToGoOn(batch, log),
    held: () => findHeld(log),
    supply: (call, outcome) => {
      const held = findHeld(log)
      if (held === null) throw new Error('no call is waiting for a result')
      const maxBytes = settings['tools.output.max_bytes']
      return supply(log, { ...held, call }, outcome, { digest, now: clock.now, maxBytes })
    },
  }
}
