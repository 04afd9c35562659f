import { Buffer } from 'node:buffer'
import { sealKey, secretBytes } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import {
  createPrivateFileWith,
  openRecordFile,
  readIfExists,
  removeFile,
} from '../../host/fs/private-files.ts'
import { renameFile } from '../../host/fs/segment-file.ts'
import { firstAnchor, formatAnchor, judgeAnchor, judgeKnown, parseAnchor, RECORD_BYTES } from './anchor.ts'
import type { Anchor, AnchorBreach, ChainView, FoundAnchor } from './anchor.ts'
import { CHAIN_START } from './chain.ts'
import type { ClosingsView } from './closings.ts'
import type { Head } from './chain.ts'

const KEY_BYTES = 32

/** The state folder's key; null if there is none. */
export function readKey(path: string): SealKey | null {
  const key = readIfExists(path, KEY_BYTES)
  return key === null || key.length !== KEY_BYTES ? null : sealKey(key)
}

/** Creates a key, unless another process has just done so. */
export function makeKey(path: string): void {
  createPrivateFileWith(path, secretBytes(KEY_BYTES))
}

/** Reads an anchor. Its owner may be writing it right now, so a bad seal is read again. */
export function readAnchor(path: string, key: SealKey): FoundAnchor {
  for (let tries = 3; ; tries--) {
    const bytes = readIfExists(path, RECORD_BYTES)
    if (bytes === null) return 'missing'
    const found = parseAnchor(bytes.toString('latin1'), key)
    if (found !== 'forged' || tries === 0) return found
  }
}

/** The label below an anchor's record, which names what it belongs to; null if there is none. */
export function readAnchorLabel(path: string): string | null {
  const text = readIfExists(path)?.subarray(RECORD_BYTES).toString()
  return text === undefined || text === '' ? null : text
}

/** An anchor that follows its chain. */
export interface AnchorFile {
  readonly breach: AnchorBreach | null
  /** The newest closing that it knew of when it was opened. */
  readonly closings: Head
  /** Has the next record know the newest closing, which must be on disk by then; unless that contradicts what is known. */
  readonly noteClosings: (closings: ClosingsView) => void
  /** Prepares a move to a newer head; calling the result makes it. A synced head must be on disk by then. */
  readonly prepare: (head: Head, isSynced: boolean) => () => void
  /** Records that entries may follow; call it before the first one. */
  readonly unseal: () => void
  /** The same, for many anchors at the same time. */
  readonly unsealLater: () => Promise<void>
  /** Records that the log is closed: no entries follow this head. */
  readonly seal: (head: Head) => void
  /** Drops the breach that was found, once the log itself records it. */
  readonly absolve: (head: Head) => void
  readonly close: () => void
}

/** Identifies an anchor. */
export interface AnchorPlace {
  readonly path: string
  /** The session's id in the chain, or `store` for the database as a whole. */
  readonly of: string
  /** Written below the record, to name what the anchor belongs to. */
  readonly label: string
}

/**
 * Opens an anchor, creates it if there is none, and records in it any breach that is found. The chain is read after
 * the anchor, because it may be growing.
 */
export function openAnchor(
  { path, of, label }: AnchorPlace,
  key: SealKey,
  readChain: (found: FoundAnchor) => ChainView,
): AnchorFile {
  const read = readAnchor(path, key)
  const found = typeof read === 'string' || read.of === of ? read : 'forged'
  const chain = readChain(found)
  const breach = judgeAnchor(found, chain)
  let anchor: Anchor =
    typeof found === 'string'
      ? firstAnchor(chain.database, of, breach)
      : { ...found, database: chain.database, breach }
  if (found === 'forged') putAside(path)
  if (typeof found === 'string') createPrivateFileWith(path, formatAnchor(anchor, key) + label)
  const file = openRecordFile(path)
  const prepareWrite = (next: Anchor): (() => void) => {
    const record = Buffer.from(formatAnchor(next, key), 'latin1')
    return () => {
      anchor = next
      file.write(record)
    }
  }
  /** Synced, so that a power cut does not bring back an older record that contradicts the entries. */
  const writeSynced = (next: Anchor): void => {
    prepareWrite(next)()
    file.sync()
  }
  if (anchor.head.seq > chain.lastSeq || (typeof found !== 'string' && breach !== found.breach)) {
    try {
      const head: Head = { seq: chain.lastSeq, hash: chain.hashAt(chain.lastSeq) ?? CHAIN_START }
      writeSynced({ ...anchor, head, synced: breach === null ? anchor.synced : head })
    } catch (error) {
      file.close()
      throw error
    }
  }
  return {
    breach,
    closings: anchor.closings,
    noteClosings: ({ head, lastSeq, hashAt }) => {
      const isNewer = head.seq > anchor.closings.seq
      if (isNewer && judgeKnown([anchor.closings], { lastSeq, hashAt }) === null)
        anchor = { ...anchor, closings: head }
    },
    prepare: (head, isSynced) =>
      head.seq < anchor.head.seq
        ? () => undefined
        : prepareWrite({ ...anchor, head, synced: isSynced ? head : anchor.synced }),
    unseal: () => {
      if (!anchor.isOpen) writeSynced({ ...anchor, isOpen: true })
    },
    unsealLater: async () => {
      if (anchor.isOpen) return
      file.write(Buffer.from(formatAnchor({ ...anchor, isOpen: true }, key), 'latin1'))
      await file.syncLater()
      // Until it is on disk it does not count as unsealed.
      anchor = { ...anchor, isOpen: true }
    },
    seal: (head) => {
      if (anchor.isOpen) prepareWrite({ ...anchor, head, isOpen: false })()
    },
    absolve: (head) => writeSynced({ ...anchor, head, synced: head, isOpen: false, breach: null }),
    close: file.close,
  }
}

/** What is in the place of an anchor is kept, so that people can look at it; the new one says that it was forged. */
function putAside(path: string): void {
  try {
    renameFile(path, `${path}.forged`)
  } catch {
    removeFile(path)
  }
}

/** How far an anchor may lag behind when commits are not synced. */
const BEHIND_MS = 50
const BEHIND_ENTRIES = 256

/** Moves a session's anchor along with its log. It may lag behind, but must never be ahead. */
export interface AnchorWriter {
  /** Records that entries may follow; call it before the first one. */
  readonly unseal: () => void
  readonly unsealLater: () => Promise<void>
  /** Prepares a move to a head; call the result once the entry is as safe as it will be. */
  readonly prepare: (head: Head) => () => void
  /** Records that the log is closed: no entries follow this head. */
  readonly seal: (head: Head) => void
  /** Closes the file without sealing it, as if the process had been killed. */
  readonly closeUnsealed: () => void
}

/**
 * If commits are synced, the anchor moves with each of them, so that a lost entry cannot be an accident. If they are
 * not, it only tells a rewritten entry from the real one, and follows a little later.
 */
export function createAnchorWriter(anchor: AnchorFile, isSyncing: boolean): AnchorWriter {
  let anchoredSeq = 0
  let waiting: Head | null = null
  let timer: NodeJS.Timeout | null = null

  function catchUp(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (waiting === null) return
    anchoredSeq = waiting.seq
    anchor.prepare(waiting, false)()
    waiting = null
  }

  function followSoon(head: Head): void {
    waiting = head
    if (head.seq - anchoredSeq >= BEHIND_ENTRIES) catchUp()
    else timer ??= setTimeout(catchUpQuietly, BEHIND_MS).unref()
  }

  function catchUpQuietly(): void {
    try {
      catchUp()
    } catch {
      // It lags behind; the next append moves it.
    }
  }

  function settle(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    waiting = null
  }

  return {
    unseal: anchor.unseal,
    unsealLater: anchor.unsealLater,
    prepare: (head) => (isSyncing ? anchor.prepare(head, true) : () => followSoon(head)),
    seal: (head) => {
      settle()
      try {
        anchor.seal(head)
      } finally {
        anchor.close()
      }
    },
    closeUnsealed: () => {
      settle()
      anchor.close()
    },
  }
}
