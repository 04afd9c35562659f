import { Buffer } from 'node:buffer'
import { digest } from '../../host/system/hash.ts'
import type { Sqlite } from '../../host/db/sqlite.ts'
import type { Digest, Entry } from '../entries/entry.ts'
import type { ForgottenSpan } from '../entries/forgotten-entry.ts'
import { sharedIn } from '../entries/entry-text.ts'
import { digestsOf, payloadsOf } from '../entries/mentions.ts'
import { readFindings } from '../entries/shared-findings.ts'
import { readFolded } from '../store/fold-log.ts'
import { hexOf } from '../store/read-log.ts'
import type { Seals } from './seals.ts'

/** An entry whose contents are compared with what it says about them. */
export interface CheckedEntry {
  /** The session's row. */
  readonly session: number
  readonly seq: number
  readonly at: number
  /** Whether Tongs recorded it, if it needs a seal. */
  readonly isGenuine: () => boolean
  /** As it is stored. */
  readonly entry: Entry
}

/** Compares contents with the digests that entries have of them, each content once. */
export interface PayloadCheck {
  /** What is wrong with the contents of an entry; null if nothing is. */
  readonly check: (entry: CheckedEntry) => string | null
  /** The first entry whose contents are missing although no entry says that they were forgotten. */
  readonly findUnexplained: () => { readonly session: number; readonly seq: number } | null
  /** All contents that are missing in this way. */
  readonly unexplained: () => readonly { readonly session: number; readonly digest: Digest }[]
  /** How many contents are missing. */
  readonly erased: () => number
}

interface MissingMention {
  readonly session: number
  readonly seq: number
  readonly at: number
  readonly execution: string
  readonly digest: Digest
}

/** Creates the check of one reading of the log; entries have to come in the order they were written. */
export function createPayloadCheck(sqlite: Sqlite, seals: ReadonlyMap<number, Seals>): PayloadCheck {
  const find = createPayloadFinder(sqlite)
  const right = new Set<number>()
  const gone = new Set<Digest>()
  const missing: MissingMention[] = []
  const forgotten = new Map<number, Forgotten>()

  function check({ session, seq, at, entry, isGenuine }: CheckedEntry): string | null {
    if (entry.kind === 'forgotten' && isGenuine()) {
      const known = forgotten.get(session) ?? new Forgotten()
      forgotten.set(session, known)
      known.add(entry.executions, entry.span)
    }
    const shared = sharedIn(entry)
    if (shared !== null && readFindings(sqlite, shared.tool, shared.digest) === null)
      return 'refers to findings that were changed or removed'
    for (const { execution, digest: named } of payloadsOf(entry)) {
      if (find(named) !== null) continue
      gone.add(named)
      missing.push({ session, seq, at, execution, digest: named })
    }
    for (const { digest: named } of digestsOf(entry)) {
      const id = find(named)
      if (id === null || right.has(id)) continue
      const bytes = sqlite.statement('SELECT body FROM log WHERE id = ?').get(id)?.['body']
      if (!(bytes instanceof Uint8Array) || digest(bytes) !== named)
        return 'refers to a payload that was changed'
      right.add(id)
    }
    return null
  }

  const isExplained = (mention: MissingMention): boolean =>
    (forgotten.get(mention.session)?.covers(mention) ?? false) ||
    (seals.get(mention.session)?.contents.has(mention.digest) ?? false)

  return {
    check,
    findUnexplained: () => missing.find((mention) => !isExplained(mention)) ?? null,
    unexplained: () => missing.filter((mention) => !isExplained(mention)),
    erased: () => gone.size,
  }
}

/** Finds the row of a content through the tables, or among the rows that they do not have yet. */
function createPayloadFinder(sqlite: Sqlite): (named: Digest) => number | null {
  const fresh = new Map<Digest, number>()
  const rows = sqlite
    .statement("SELECT id, hash FROM log WHERE id > ? AND kind = 'payload'")
    .all(readFolded(sqlite))
  for (const row of rows) fresh.set(hexOf(row['hash']), Number(row['id']))
  const place = sqlite.statement(
    "SELECT p.id FROM payload_place p JOIN log l ON l.id = p.id AND l.kind = 'payload' WHERE p.digest = ?",
  )
  return (named) => {
    const row = place.get(Buffer.from(named, 'hex'))
    return row === undefined ? (fresh.get(named) ?? null) : Number(row['id'])
  }
}

/** What the log of a session says was forgotten. An entry of kind `forgotten` covers only entries before it. */
class Forgotten {
  readonly #calls = new Set<string>()
  readonly #spans: ForgottenSpan[] = []
  /** The spans that reach furthest, longest first; null after a change. */
  #steps: readonly { readonly upTo: number; readonly before: number }[] | null = null

  add(executions: readonly string[], span: ForgottenSpan | undefined): void {
    if (span === undefined) for (const execution of executions) this.#calls.add(execution)
    else this.#spans.push(span)
    this.#steps = null
  }

  covers({ seq, at, execution }: MissingMention): boolean {
    if (this.#calls.has(execution)) return true
    this.#steps ??= toSteps(this.#spans)
    // The last step that still reaches this entry has the latest time of all that do.
    let [low, high] = [0, this.#steps.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#steps[middle]?.upTo ?? 0) >= seq) low = middle + 1
      else high = middle
    }
    const step = this.#steps[low - 1]
    return step !== undefined && at < step.before
  }
}

function toSteps(
  spans: readonly ForgottenSpan[],
): readonly { readonly upTo: number; readonly before: number }[] {
  let latest = -Infinity
  return spans
    .map(({ upTo, before }) => ({ upTo, before: before ?? Infinity }))
    .toSorted((one, other) => other.upTo - one.upTo)
    .map(({ upTo, before }) => {
      latest = Math.max(latest, before)
      return { upTo, before: latest }
    })
}
