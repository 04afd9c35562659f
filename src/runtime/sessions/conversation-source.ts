import { dirname } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import type { Clock } from '../../core/clock.ts'
import { truncateText } from '../../core/text/truncate.ts'
import { createCopy, makePrivateFolder } from '../../host/fs/private-files.ts'
import { digest } from '../../host/system/hash.ts'
import type { SessionLog } from '../../journal/log.ts'
import { findHeld, supply } from '../../pipeline/approve/held.ts'
import { outputPathFor } from '../../workspace/landing/backups.ts'
import type { Workspace } from '../../workspace/workspace.ts'
import type { ConversationSource } from '../runtime.ts'
import { noteOpened } from './session-preset.ts'
import type { Seal } from './session-preset.ts'

/** What a conversation's source needs. */
export interface SourceDeps {
  readonly log: SessionLog
  readonly settings: Settings
  readonly workspace: Workspace
  readonly clock: Clock
  readonly newId: () => string
  readonly seal: Seal
  readonly outputFolder: string
  /** Hides secrets in what no tool has read and no result shields. */
  readonly hide: (text: string) => string
}

/** A larger file is not a file of notes. */
const MAX_NOTES_BYTES = 16 * 1024 ** 2

/** Opens what a conversation needs of its session. */
export function openSource(deps: SourceDeps): ConversationSource {
  const { log, settings, workspace, clock, newId, seal, outputFolder, hide } = deps
  return {
    log,
    digest,
    newId,
    elapsed: clock.elapsed,
    contentOf: workspace.readSide,
    noteOpened: (by, preset) => noteOpened(log, by, preset, seal),
    storeOutput: (execution, text) =>
      storeOutput(outputPathFor(outputFolder, log.key, execution), text, settings),
    environment: async () => {
      // Loaded on demand: a session that goes on has it on record.
      const { describeEnvironment } = await import('./environment.ts')
      return describeEnvironment({ log, settings, workspace, clock, hide })
    },
    notes: () => readNotes(deps),
    held: () => findHeld(log),
    supply: (call, outcome) => {
      const held = findHeld(log)
      if (held === null) throw new Error('no call is waiting for a result')
      const maxBytes = settings['tools.output.max_bytes']
      return supply(log, { ...held, call }, outcome, { digest, now: clock.now, maxBytes })
    },
  }
}

/** Another file of that name stays: it is the whole output of a command, of which the text is a part. */
function storeOutput(path: string, text: string, settings: Settings): boolean {
  if (!settings['tools.output.spill']) return false
  try {
    makePrivateFolder(dirname(path))
    createCopy(path, text)
    return true
  } catch {
    // The log has it all the same, so a full disk is no reason to end a turn.
    return false
  }
}

/** Reads the workspace's notes as a tool would: links that lead out of it are not followed. */
function readNotes({ log, settings, workspace, hide }: SourceDeps): string | null {
  const maxBytes = settings['conversation.notes_max_bytes']
  const found = settings['conversation.notes'].flatMap((name) => {
    const text = readNote(name, log, workspace)
    if (text === null || text.trim() === '') return []
    return [`${name}:\n${truncateText(hide(text), maxBytes).text}`]
  })
  return found.length === 0 ? null : found.join('\n\n')
}

function readNote(path: string, log: SessionLog, workspace: Workspace): string | null {
  const transaction = workspace.begin({ execution: 'notes', session: log.key, ledger: () => null })
  try {
    const bytes = transaction.files.peek(path, MAX_NOTES_BYTES)
    return bytes === null ? null : new TextDecoder().decode(bytes)
  } finally {
    transaction.close()
  }
}
