import { isPresetName } from '../../config/presets.ts'
import type { PresetName } from '../../config/presets.ts'
import type { OpenedEntry } from '../../journal/entries/conversation-entry.ts'
import type { GrantStore } from '../../journal/grants/grant-store.ts'
import type { LogReader, SessionLog } from '../../journal/log.ts'

/** Seals a text with the key of the state folder. */
export type Seal = (text: string) => string

/** Seals with the key of the store that sessions are in. */
export function sealWith(sessions: { readonly grants: () => GrantStore }): Seal {
  return (text) => sessions.grants().sealAnswer(text)
}

/** The preset that was chosen for a session; null if none was, or if another program wrote it. */
export function readPreset(
  { key, newestFirst }: Pick<LogReader, 'key' | 'newestFirst'>,
  seal: Seal,
): PresetName | null {
  for (const { entry } of newestFirst('opened')) {
    if (entry.kind !== 'opened') continue
    const isOurs = entry.seal === seal(sealedText(key, entry))
    return isOurs && entry.preset !== null && isPresetName(entry.preset) ? entry.preset : null
  }
  return null
}

/** Records that `run` or the app uses a session, and the preset chosen for it, unless that is on record. */
export function noteOpened(log: SessionLog, by: OpenedEntry['by'], preset: string | null, seal: Seal): void {
  for (const { entry } of log.newestFirst('opened')) {
    if (entry.kind !== 'opened') continue
    if (entry.by === by && entry.preset === preset) return
    break
  }
  const facts = { by, preset }
  const entry: OpenedEntry = { kind: 'opened', ...facts, seal: seal(sealedText(log.key, facts)) }
  log.append({ entries: [entry], reliance: 'recorded' })
}

/** A seal holds for one session, so that an entry cannot be copied to another one. */
function sealedText(
  { root, name }: LogReader['key'],
  { by, preset }: Pick<OpenedEntry, 'by' | 'preset'>,
): string {
  return JSON.stringify(['opened', root, name, by, preset])
}
