import { seal } from '../../host/system/hash.ts'
import type { SealKey } from '../../host/system/hash.ts'
import { appendLine, readLines } from '../../host/system/line-file.ts'
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
  /** How many of them it was told of before this one. */
  readonly earlier: number
  /** Lines that a process did not write to their end; like lines that are missing, they say nothing. */
  readonly torn: number
  /** The first line about this database that was not sealed with its key; null if there is none. */
  readonly forgedLine: number | null
}

/** Reads what a witness knows about a database. Throws if it cannot be read. */
export function readTestimony(path: string, key: SealKey, database: string): Testimony {
  const heads = new Map<string, WitnessedHead[]>()
  const others = new Set<string>()
  const counted = { lines: 0, earlier: 0, torn: 0 }
  let forgedLine: number | null = null
  let number = 0
  for (const written of readLines(path)) {
    number++
    // What was added to a line without an end, by a program that did not look, begins anew.
    const line = written.slice(Math.max(0, written.lastIndexOf(`${MAGIC} `)))
    if (line !== written) counted.torn++
    if (line === '') continue
    if (isCutShort(line)) {
      counted.torn++
      continue
    }
    const words = line.split(' ')
    const mac = words.pop()
    const [magic, of, session = '', seq, hash = '', status] = words
    if (magic === MAGIC && of !== database) {
      others.add(of ?? '')
      if (counted.lines === 0) counted.earlier = others.size
      continue
    }
    if (magic !== MAGIC || mac !== seal(key, words.join(' '))) {
      forgedLine ??= number
      continue
    }
    counted.lines++
    const known = heads.get(session) ?? []
    heads.set(session, known)
    known.push({ seq: Number(seq), hash, isSynced: status === SYNCED })
  }
  return { heads, ...counted, others: others.size, forgedLine }
}

const WHOLE_WORDS = 7
const PART_OF_MAC = /^[0-9a-f]{0,63}$/

/** Whether a line is the beginning of one: a process was stopped, or a disk was full, while it was written. */
function isCutShort(line: string): boolean {
  if (MAGIC.startsWith(line)) return true
  const words = line.split(' ')
  if (words[0] !== MAGIC || words.length > WHOLE_WORDS) return false
  const mac = words[WHOLE_WORDS - 1]
  return mac === undefined || PART_OF_MAC.test(mac)
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
