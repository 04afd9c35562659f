import { shellWord } from '../../core/command/shell-word.ts'
import type { Clock } from '../../core/clock.ts'
import { canonicalFolder, folderIdentity, formerFolder, renameIfExists } from '../../host/fs/folders.ts'
import { noteKnownPlaces, placeBeside } from '../../host/layer/layer-places.ts'
import { noteMovedRoots, readMovedRoot } from '../../journal/access/moved-root.ts'
import type { SessionKey } from '../../journal/entries/entry.ts'
import type { LogStore } from '../../journal/log.ts'
import { openStore } from '../../journal/open-store.ts'
import { storeSize } from '../../journal/store/state-files.ts'
import { sessionFolder } from '../../workspace/landing/backups.ts'
import { storedFolders } from '../configure/places.ts'

/** What to adopt: the history of a folder that was at `from` and is at `root` now. */
export interface Adopting {
  readonly root: string
  readonly from: string
  readonly stateDir: string
  /** The file elsewhere that is told of it; empty if there is none. */
  readonly witness: string
  readonly clock: Clock
  /** Adopt it even if the folder is not the one that the history was recorded in. */
  readonly isSure: boolean
}

/** The outcome of adopting, or why nothing was done, as a sentence with what to do. */
export type Adopted =
  | { readonly ok: true; readonly from: string; readonly sessions: number }
  | { readonly ok: false; readonly why: string; readonly hint: string }

/** The note in the log that a root was moved. */
export const ROOT_MOVED = 'root_moved'

/** Gives a renamed folder the history of its former path: log, undo, redo, questions and interrupted work. */
export async function adoptRoot({
  root,
  from,
  stateDir,
  witness,
  clock,
  isSure,
}: Adopting): Promise<Adopted> {
  const old = formerFolder(from)
  if (old === root || canonicalFolder(old) !== null)
    return refuse(
      `${old} still exists, and its history belongs to it`,
      'adopt only what was renamed or moved',
    )
  if (storeSize(stateDir) === null) return refuse('there is no journal yet', 'nothing has to be adopted')
  const store = openStore({ stateDir, durability: 'full', clock, witness })
  try {
    if (store.refusal !== null) throw store.refusal
    const moved = readMovedRoot(store, old) ?? { recordedAs: old, former: [] }
    const own = readMovedRoot(store, root)
    const [newest] = store.recent(moved.recordedAs, { most: 1 })
    if (newest === undefined && own?.former.at(-1) === old)
      return { ok: true, from: old, sessions: store.sessions(own.recordedAs).length }
    if (newest === undefined)
      return refuse(`nothing is on record for ${old}`, 'see where it was with tongs log')
    // An earlier version noted this one by itself first, and was interrupted before it noted the other.
    const isHalf = own?.recordedAs === moved.recordedAs
    if (!isHalf && store.sessions(own?.recordedAs ?? root).length > 0)
      return refuse(
        `${root} has a history of its own, which another one would hide`,
        `read the other one with tongs log --root ${shellWord(old)}`,
      )
    if (!isSure && isAnother(store, old, root))
      return refuse(
        `${root} is not the folder that was ${old}; it may be a copy`,
        'if it should go on with that history, add --yes',
      )
    // Earlier versions did not note where layers lie.
    const beside = canonicalFolder(placeBeside(old))
    if (beside !== null) noteKnownPlaces(stateDir, [beside])
    if (!isHalf)
      await noteInLog(store, { root: moved.recordedAs, name: newest.name }, { from: old, to: root })
    const sessions = store.sessions(moved.recordedAs)
    for (const { name } of sessions) moveFiles(stateDir, { root: old, name }, { root, name })
    // Another folder at the former path begins a history of its own.
    const since = new Date(clock.now()).toISOString()
    noteMovedRoots(
      store,
      new Map([
        [root, isHalf ? own : { recordedAs: moved.recordedAs, former: [...moved.former, old] }],
        [old, { recordedAs: `${old} (since ${since})`, former: [] }],
      ]),
    )
    return { ok: true, from: old, sessions: sessions.length }
  } finally {
    store.close()
  }
}

async function noteInLog(
  store: LogStore,
  key: SessionKey,
  data: { readonly from: string; readonly to: string },
): Promise<void> {
  const log = await store.open(key, 0)
  log.append({
    entries: [{ kind: 'note', about: ROOT_MOVED, execution: null, data }],
    reliance: 'durable',
  })
  log.close()
}

function refuse(why: string, hint: string): Adopted {
  return { ok: false, why, hint }
}

/** Backups and the output of commands are kept by root and name. */
function moveFiles(stateDir: string, from: SessionKey, to: SessionKey): void {
  for (const folder of Object.values(storedFolders(stateDir)))
    renameIfExists(sessionFolder(folder, from), sessionFolder(folder, to))
}

/** Records which folder a root is, so that it is recognised after it was renamed. */
export function noteIdentity(store: LogStore, root: string): void {
  const identity = identityUnlessRefused(root)
  if (identity !== null && store.readValue(nameOf(root)) !== identity)
    store.writeValue(nameOf(root), identity)
}

/** A root that cannot be looked at now is recorded next time. */
function identityUnlessRefused(root: string): string | null {
  try {
    return folderIdentity(root)
  } catch {
    return null
  }
}

/** Of some former roots, the one that a folder was; null if none of them is known to be it. */
export function findFormerRoot(store: LogStore, roots: readonly string[], root: string): string | null {
  const identity = folderIdentity(root)
  return identity === null ? null : (roots.find((one) => store.readValue(nameOf(one)) === identity) ?? null)
}

function isAnother(store: LogStore, old: string, root: string): boolean {
  const recorded = store.readValue(nameOf(old))
  return recorded !== null && recorded !== folderIdentity(root)
}

function nameOf(root: string): string {
  return `identity ${root}`
}
