import { isPresetName } from '../../../config/presets.ts'
import type { PresetName } from '../../../config/presets.ts'
import type { OpenedEntry } from '../../../journal/entries/conversation-entry.ts'
import type { LogReader, SessionLog, SessionReader } from '../../../journal/log.ts'
import { findNewestSealed, isToRecord, relyOnNewest, sealNext } from './newest-sealed.ts'
import type { ChoiceKind, Relied } from './newest-sealed.ts'

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
export function readPreset(log: Pick<LogReader, 'newestFirst' | 'sealOf'>): PresetName | null {
  return presetOf(findNewestSealed(log, USES)?.is)
}

/** The preset to go on with, and why it is not the one that was chosen; null if it is. */
export interface ReliedPreset {
  readonly preset: PresetName | null
  /** Whether nobody chose it, so that it is not to be recorded. */
  readonly isFallback: boolean
  readonly doubt: string | null
}

/** The preset to go on with: the tightest if the log does not show which was chosen last. */
export function relyOnPreset(
  log: Pick<SessionReader, 'key' | 'newestFirst' | 'sealOf' | 'verifies'>,
): ReliedPreset {
  const relied = relyOnNewest(log, USES)
  if (relied.ok) return { preset: presetOf(relied.newest?.is), isFallback: false, doubt: null }
  const doubt = `${WHY[relied.why](log.key.name)} The session goes on with ${TIGHTEST}, which changes nothing, until a preset is chosen: tongs run --session ${log.key.name} --preset NAME (or configured, for no preset).`
  return { preset: TIGHTEST, isFallback: true, doubt }
}

const WHY: Readonly<Record<Extract<Relied<Use>, { ok: false }>['why'], (session: string) => string>> = {
  'does not verify': (session) =>
    `The log of session ${session} does not show which preset was chosen last: what was recorded since was changed, hidden or lost.`,
  'is not sealed': (session) =>
    `The preset that was chosen last for session ${session} has no valid seal: another program or an earlier version of Tongs recorded it.`,
}

const TIGHTEST = 'plan' satisfies PresetName

function presetOf(use: Use | undefined): PresetName | null {
  const preset = use?.preset ?? null
  return preset !== null && isPresetName(preset) ? preset : null
}

/** Records that `run` or the app uses a session, and the preset chosen for it, unless that is on record. */
export function noteOpened(log: SessionLog, by: OpenedEntry['by'], preset: string | null): void {
  const isSame = (last: Use): boolean => last.by === by && last.preset === preset
  if (!isToRecord(log, USES, isSame)) return
  const use: Use = { by, preset }
  log.append({
    entries: [{ kind: 'opened', ...use, seal: sealNext(log, USES, use) }],
    reliance: 'recorded',
  })
}
