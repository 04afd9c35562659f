import { DAY_MS } from '../../core/clock.ts'
import { pruneFiles, removeNamed } from '../../host/fs/private-files.ts'
import type { ForgetSelection } from '../../journal/erase/forget.ts'
import type { SessionKey } from '../../journal/entries/entry.ts'
import { sessionFolder } from '../../workspace/landing/backups.ts'
import { isOutputSeal } from '../../workspace/reading/stored-digests.ts'
import type { Runtime } from '../runtime.ts'

/** Turns the options of `forget` into a selection. */
export function selectForgotten(
  what: Parameters<Runtime['forget']>[0],
  root: string,
  now: number,
): ForgetSelection {
  if ('session' in what) return { is: 'session', session: { root, name: what.session } }
  if ('call' in what) return { is: 'call', prefix: what.call, root }
  return { is: 'before', time: now - what.olderThanDays * DAY_MS, root }
}

/** Erases the files that belong to forgotten calls: backups and output of commands. Returns how many. */
export function forgetFiles(
  selection: ForgetSelection,
  folders: readonly string[],
  sessions: readonly SessionKey[],
  executions: readonly string[],
): number {
  const keys = selection.is === 'session' ? [selection.session] : sessions
  const places = folders.flatMap((folder) => keys.map((key) => sessionFolder(folder, key)))
  const erased = places.flatMap((place) => {
    if (selection.is === 'session') return pruneFiles(place, Infinity)
    if (selection.is === 'before') return pruneFiles(place, selection.time)
    return executions.flatMap((execution) => removeNamed(place, execution))
  })
  return erased.filter((path) => !isOutputSeal(path)).length
}
