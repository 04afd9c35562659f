import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { appendLine, readLines } from '../../host/fs/private-files.ts'
import type { Digest } from '../entries/entry.ts'
import type { Head } from './chain.ts'

/**
 * A file outside the state folder that is told the heads of the chains. The anchors lie in the state folder: if all of
 * it is restored from a copy, everything in it agrees, and only what lies elsewhere knows better.
 */
export interface Witness {
  /** Tells the head of a session, by its chain id. A synced head can no longer be lost by accident. */
  readonly note: (session: string, head: Head, isSynced: boolean) => void
}

const MAGIC = 'tongs-witness-1'
const SYNCED = 'synced'
const WRITTEN = 'written'

/** Opens the witness at a path. Work goes on if it cannot be reached, because a removable or remote disk may be away. */
export function openWitness(path: string, key: SealKey, database: string): Witness {
  return {
    note: (session, head, isSynced) => {
      try {
        appendLine(path, formatHead(key, head, `${database} ${session}`, isSynced))
      } catch {
        // The next head that is told vouches for this one too.
      }
    },
  }
}

/** Why heads cannot be written to a witness; null if they can. */
export function checkWitness(path: string): string | null {
  try {
    appendLine(path, '')
    return null
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

/** A head that a witness was told. */
export interface WitnessedHead extends Head {
  readonly isSynced: boolean
}

/** What a witness knows. */
export interface Testimony {
  /** By chain id of the session. */
  readonly heads: ReadonlyMap<string, readonly WitnessedHead[]>
  /** Lines about this database. */
  readonly lines: number
  /** How many other databases it knows. */
  readonly others: number
  /** The first line about this database that was not sealed with its key; null if there is none. */
  readonly forgedLine: number | null
}

/** Reads what a witness knows about a database. Throws if it cannot be read. */
export function readTestimony(path: string, key: SealKey, database: string): Testimony {
  const heads = new Map<string, WitnessedHead[]>()
  const others = new Set<string>()
  let lines = 0
  let forgedLine: number | null = null
  let number = 0
  for (const line of readLines(path)) {
    number++
    const words = line.split(' ')
    const mac = words.pop()
    const [magic, of, session = '', seq, hash = '', status] = words
    if (line === '') continue
    if (magic === MAGIC && of !== database) {
      others.add(of ?? '')
      continue
    }
    if (magic !== MAGIC || mac !== seal(key, words.join(' '))) {
      forgedLine ??= number
      continue
    }
    lines++
    const known = heads.get(session) ?? []
    heads.set(session, known)
    known.push({ seq: Number(seq), hash, isSynced: status === SYNCED })
  }
  return { heads, lines, others: others.size, forgedLine }
}

/** What is compared with a witness; the hash of a sealed entry is only stated. */
interface JudgedChain {
  readonly lastSeq: number
  readonly hashAt: (seq: number) => Digest | null
  readonly statedAt: (seq: number) => Digest | null
}

/** The first entry of a chain that contradicts what a witness was told; null if none does. */
export function judgeTestimony(
  told: readonly WitnessedHead[],
  { lastSeq, hashAt, statedAt }: JudgedChain,
): { readonly seq: number; readonly why: string } | null {
  for (const { seq, hash, isSynced } of told) {
    if (seq <= lastSeq && hashAt(seq) !== hash)
      return { seq, why: statedAt(seq) === hash ? SEALED : REWRITTEN }
    if (seq > lastSeq && isSynced) return { seq: lastSeq + 1, why: CUT }
  }
  return null
}

const REWRITTEN = 'is not the one that the witness knows: the log was rewritten'
const SEALED =
  'was sealed as damaged, but the witness knows it: the entry is lost, or an older copy was put back'
const CUT = 'is missing, but the witness knows it: the end was cut off, or an old copy was put back'

function formatHead(key: SealKey, { seq, hash }: Head, of: string, isSynced: boolean): string {
  const text = `${MAGIC} ${of} ${seq} ${hash} ${isSynced ? SYNCED : WRITTEN}`
  return `${text} ${seal(key, text)}`
}
