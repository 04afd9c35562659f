import type { SealKey } from '../../host/system/hash.ts'
import { identityOf, namesIn } from '../../host/fs/private-files.ts'
import { BREACHES, judgeAnchor } from './anchor.ts'
import type { AnchorBreach, FoundAnchor } from './anchor.ts'
import { readAnchor, readAnchorLabel, readKey } from './anchor-file.ts'
import { sessionId } from './chain.ts'
import { checkChains } from './check-chains.ts'
import type { CheckedChain } from './check-chains.ts'
import type { SessionKey } from '../entries/entry.ts'
import { explainFault } from '../explain-fault.ts'
import { openDatabase } from '../store/open-database.ts'
import type { JournalDatabase } from '../store/open-database.ts'
import { sessionCount } from '../store/open-state.ts'
import { stateFiles } from '../store/state-files.ts'
import type { StateFiles } from '../store/state-files.ts'

/** The first problem; `seq` is 0 if it is not about a single entry. */
export interface FirstBad {
  /** The session's name; empty if the problem is about the whole store. */
  readonly session: string
  readonly root: string
  readonly seq: number
  readonly why: string
}

/** The result of checking the journal. */
export interface VerifyReport {
  readonly ok: boolean
  readonly events: number
  readonly sessions: number
  readonly first_bad: FirstBad | null
  /** Payloads that entries refer to but that have been erased. */
  readonly erased: number
}

/** What to check. */
export interface VerifyOptions {
  /** All sessions if absent. */
  readonly session?: SessionKey
}

/** Checks every chain against its entries, its payloads and its anchor. Changes nothing, and does not disturb processes that are writing. */
export function verifyStore(stateDir: string, { session }: VerifyOptions = {}): VerifyReport {
  const files = stateFiles(stateDir)
  try {
    if (identityOf(files.database) === null) {
      const isGone = identityOf(files.storeAnchor) !== null
      return report(
        0,
        0,
        isGone ? storeFault('the journal has been removed, but its anchors are still there') : null,
        0,
      )
    }
    const key = readKey(files.key)
    const anchors = key === null ? new Map<string, FoundAnchor>() : readAnchors(files, key)
    const database = openDatabase(files)
    try {
      database.sqlite.run('BEGIN')
      return check({ files, database, key, anchors }, session ?? null)
    } finally {
      database.sqlite.close()
    }
  } catch (error) {
    throw explainFault(error, stateDir)
  }
}

/** What is checked against each other. */
interface Evidence {
  readonly files: StateFiles
  readonly database: JournalDatabase
  readonly key: SealKey
  /** By path, as they were before the log was read. */
  readonly anchors: ReadonlyMap<string, FoundAnchor>
}

function check(
  found: Omit<Evidence, 'key'> & { readonly key: SealKey | null },
  only: SessionKey | null,
): VerifyReport {
  const { files, database, key, anchors } = found
  const { chains, events, bad, erased } = checkChains(database.sqlite, only, (id) => {
    const anchor = anchors.get(files.anchorOf(id))
    return anchor === undefined || typeof anchor === 'string' ? [] : [anchor.head.seq, anchor.synced.seq]
  })
  const begun = chains.filter(({ lastSeq }) => lastSeq > 0).length
  const done = (first: FirstBad | null): VerifyReport => report(events, begun, first, erased)
  if (bad !== null) return done(entryFault(bad.key, bad.seq, bad.why))
  if (key === null)
    return done(storeFault('the key is missing or cut short, so the journal cannot be verified'))
  const evidence: Evidence = { ...found, key }
  for (const chain of chains) {
    const breach = checkAnchor(chain, evidence)
    if (breach !== null) return done(entryFault(chain.key, breach.seq, BREACHES[breach.is]))
  }
  return done(only === null ? checkWhole(chains, evidence) : null)
}

/** Reads the anchors before the log, so that they can lag behind it but not be ahead. */
function readAnchors(files: StateFiles, key: SealKey): ReadonlyMap<string, FoundAnchor> {
  const found = new Map<string, FoundAnchor>()
  for (const name of namesIn(files.anchors)) {
    if (name.includes('.')) continue
    const path = files.anchorOf(name)
    found.set(path, readAnchor(path, key))
  }
  return found
}

function checkAnchor(chain: CheckedChain, { files, database, key, anchors }: Evidence): AnchorBreach | null {
  const path = files.anchorOf(chain.id)
  const known = anchors.get(path)
  // A session that started after the anchors were read has one by now, which may be ahead of the log that we see.
  const found = known ?? readAnchor(path, key)
  const view = { database: database.id, lastSeq: chain.lastSeq, hashAt: chain.hashAt }
  if (known === undefined) return typeof found === 'string' ? judgeAnchor(found, view) : null
  return judgeAnchor(typeof found === 'string' || found.of === chain.id ? found : 'forged', view)
}

/** A session that is gone as a whole leaves its anchor behind, or is missing from the count in the store's anchor. */
function checkWhole(
  chains: readonly CheckedChain[],
  { files, database, key, anchors }: Evidence,
): FirstBad | null {
  const known = new Set(chains.map(({ id }) => files.anchorOf(id)))
  for (const [path, anchor] of anchors) {
    if (
      path === files.storeAnchor ||
      known.has(path) ||
      (typeof anchor !== 'string' && anchor.synced.seq === 0)
    )
      continue
    return entryFault(readLabel(path), 1, 'is missing with its whole session')
  }
  const breach = judgeAnchor(
    anchors.get(files.storeAnchor) ?? readAnchor(files.storeAnchor, key),
    sessionCount(database),
  )
  if (breach === null) return null
  return storeFault(
    breach.is === 'cut'
      ? 'whole sessions are missing: they were removed, or an old copy was put back'
      : `every session ${BREACHES[breach.is]}`,
  )
}

function readLabel(path: string): SessionKey | null {
  try {
    const [root, name] = JSON.parse(readAnchorLabel(path) ?? '') as readonly string[]
    if (root === undefined || name === undefined) return null
    return stateFiles('')
      .anchorOf(sessionId({ root, name }))
      .endsWith(path.slice(path.lastIndexOf('/')))
      ? { root, name }
      : null
  } catch {
    return null
  }
}

function report(events: number, sessions: number, first_bad: FirstBad | null, erased: number): VerifyReport {
  return { ok: first_bad === null, events, sessions, first_bad, erased }
}

function entryFault(key: SessionKey | null, seq: number, why: string): FirstBad {
  return { session: key?.name ?? '', root: key?.root ?? '', seq, why: `entry ${seq} ${why}` }
}

function storeFault(why: string): FirstBad {
  return { session: '', root: '', seq: 0, why }
}
