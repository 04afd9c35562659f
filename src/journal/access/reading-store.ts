import type { GrantStore } from '../grants/grant-store.ts'
import type { JournalError } from '../journal-error.ts'
import type { LogStore, SessionLog } from '../log.ts'
import { copyToRead } from './copy-to-read.ts'
import type { StateCopy } from './copy-to-read.ts'

/** Opens a private copy of a journal that cannot be written to: it reads as usual and refuses every write. */
export function openReadingStore(
  stateDir: string,
  refusal: JournalError,
  openCopy: (stateDir: string) => LogStore,
): LogStore {
  const refuse = (): never => {
    throw refusal
  }
  let copy: StateCopy
  try {
    copy = copyToRead(stateDir)
  } catch (error) {
    if (refusal.code !== 'disk_full') throw error
    // There is no room for a copy either; as long as nothing is written, this may do.
    return { ...openCopy(stateDir), refusal, open: async () => refuse() }
  }
  let store: LogStore
  try {
    store = openCopy(copy.stateDir)
  } catch (error) {
    copy.remove()
    throw error
  }
  return {
    ...store,
    refusal,
    open: async () => refuse(),
    openToRead: async (key, waitMs) => onlyReading(await store.open(key, waitMs), refuse),
    owned: () => null,
    grants: onlyReadingGrants(store.grants, refuse),
    uses: { ...store.uses, update: refuse, swept: refuse },
    erase: refuse,
    scrub: refuse,
    compact: refuse,
    writeValue: refuse,
    writeValues: refuse,
    close: () => {
      store.close()
      copy.remove()
    },
  }
}

function onlyReading(log: SessionLog, refuse: () => never): SessionLog {
  return { ...log, append: refuse, appendTogether: refuse, landed: refuse, synced: refuse }
}

function onlyReadingGrants(grants: GrantStore, refuse: () => never): GrantStore {
  return {
    ...grants,
    noteTrust: refuse,
    noteWithdrawn: refuse,
    add: refuse,
    use: refuse,
    revoke: refuse,
    prune: refuse,
    remove: refuse,
  }
}
