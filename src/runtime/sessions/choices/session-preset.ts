import { isPresetName } from '../../../config/presets.ts'
import type { PresetName } from '../../../config/presets.ts'
import type { OpenedEntry } from '../../../journal/entries/conversation-entry.ts'
import type { LogReader, SessionLog } from '../../../journal/log.ts'
import { findNewestSealed, sealNext } from './newest-sealed.ts'
import type { ChoiceKind, Seal } from './newest-sealed.ts'

/** Who uses a session, and the preset that was chosen for it. */
interface Use {
  readonly by: OpenedEntry['by']
  readonly preset: string | null
}

const USES: ChoiceKind<Use> = {
  name: 'opened',
  kind: 'opened',
  read: (entry) =>
    entry.kind === 'opened' ? { is: { by: entry.by, preset: entry.preset }, seal: entry.seal } : null,
}

/** The preset that was chosen for a session; null if none was. */
export function readPreset(log: Pick<LogReader, 'key' | 'newestFirst'>, seal: Seal): PresetName | null {
  const preset = findNewestSealed(log, USES, seal)?.preset ?? null
  return preset !== null && isPresetName(preset) ? preset : null
}

/** Records that `run` or the app uses a session, and the preset chosen for it, unless that is on record. */
export function noteOpened(log: SessionLog, by: OpenedEntry['by'], preset: string | null, seal: Seal): void {
  const last = findNewestSealed(log, USES, seal)
  if (last?.by === by && last.preset === preset) return
  const use: Use = { by, preset }
  log.append({
    entries: [{ kind: 'opened', ...use, seal: sealNext(log, USES, use, seal) }],
    reliance: 'recorded',
  })
}
