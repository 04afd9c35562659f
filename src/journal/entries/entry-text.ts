import { digest } from '../../host/system/hash.ts'
import { isPossibleEntry } from './possible-entry.ts'
import type { Digest, Entry, GateRecord, SettledEntry } from './entry.ts'

/** A list of findings that is stored once; entries refer to it by digest. */
export interface SharedFindings {
  /** The tool whose calls have these findings. */
  readonly tool: string
  readonly digest: Digest
  /** The list as JSON. */
  readonly text: string
}

/** An entry as it is stored, and the shared list it refers to. */
export interface EntryText {
  readonly body: string
  readonly shared: SharedFindings | null
}

/** Findings as they are stored: a shared list, and the findings that differ from it by index. */
interface ShortFindings {
  readonly as: Digest
  readonly but?: readonly (readonly [index: number, finding: GateRecord])[]
}

/** A settled entry as it is stored. */
interface StoredSettled extends Omit<SettledEntry, 'gates'> {
  readonly gates: ShortFindings | readonly GateRecord[]
}

interface KnownList extends SharedFindings {
  readonly list: readonly GateRecord[]
}

type Differences = NonNullable<ShortFindings['but']>

/** Sharing shorter lists saves nothing. */
const MIN_SHARED = 4

/** How many findings of a list may differ from the shared one. */
const MAX_DIFFERENCES = 8

/** How many lists per tool are compared. */
export const MAX_LISTS = 8

/** Formats entries for storage. Findings are nearly the same for each call of a tool, so they are stored once. */
export function createEntryWriter(
  /** Loads the lists stored for a tool. */
  loadLists: (tool: string) => readonly SharedFindings[],
): (entry: Entry) => EntryText {
  const known = new Map<string, KnownList[]>()

  function listsOf(tool: string): KnownList[] {
    const lists = known.get(tool) ?? loadLists(tool).map(readList)
    known.set(tool, lists)
    return lists
  }

  function share(tool: string, list: readonly GateRecord[]): KnownList {
    const text = JSON.stringify(list)
    const shared = { tool, digest: digest(text), text, list }
    const lists = listsOf(tool)
    lists.unshift(shared)
    lists.length = Math.min(lists.length, MAX_LISTS)
    return shared
  }

  return (entry) => {
    if (entry.kind !== 'settled' || entry.gates.length < MIN_SHARED)
      return { body: JSON.stringify(entry), shared: null }
    const { name, gates } = entry
    const near = findNear(gates, listsOf(name))
    const shared = near?.shared ?? share(name, gates)
    const but = near?.differences ?? []
    const short: ShortFindings = { as: shared.digest, ...(but.length === 0 ? {} : { but }) }
    return { body: JSON.stringify({ ...entry, gates: short }), shared }
  }
}

/** Finds a shared list by its digest. */
export type FindShared = (tool: string, digest: Digest) => readonly GateRecord[]

/** Parses a stored entry back to what was appended. Throws if it cannot be one. */
export function parseEntryText(body: string, findShared: FindShared): Entry {
  const found: unknown = JSON.parse(body)
  if (!isPossibleEntry(found)) throw new Error('no entry has such values')
  const parsed = found as Exclude<Entry, SettledEntry> | StoredSettled
  if (parsed.kind !== 'settled') return parsed
  const { name, gates } = parsed
  return { ...parsed, gates: 'as' in gates ? expand(gates, findShared(name, gates.as)) : gates }
}

/** The shared list that a stored entry refers to; null if there is none. */
export function sharedIn(stored: Entry): { readonly tool: string; readonly digest: Digest } | null {
  if (stored.kind !== 'settled') return null
  const { name, gates } = stored as StoredSettled
  return 'as' in gates ? { tool: name, digest: gates.as } : null
}

function readList(shared: SharedFindings): KnownList {
  return { ...shared, list: JSON.parse(shared.text) as readonly GateRecord[] }
}

/** The first list that is nearly the same. */
function findNear(
  gates: readonly GateRecord[],
  lists: readonly KnownList[],
): { readonly shared: KnownList; readonly differences: Differences } | null {
  for (const shared of lists) {
    const differences = shared.list.length === gates.length ? findDifferences(gates, shared.list) : null
    if (differences !== null) return { shared, differences }
  }
  return null
}

/** Where two lists differ; null if they differ in too many places. */
function findDifferences(gates: readonly GateRecord[], list: readonly GateRecord[]): Differences | null {
  const differences: (readonly [number, GateRecord])[] = []
  for (const [index, finding] of gates.entries()) {
    if (isSame(finding, list[index])) continue
    if (differences.length === MAX_DIFFERENCES) return null
    differences.push([index, finding])
  }
  return differences
}

function isSame(one: GateRecord, other: GateRecord | undefined): boolean {
  return (
    one.fact === other?.fact &&
    one.gate === other.gate &&
    one.verdict === other.verdict &&
    one.grant === other.grant &&
    (one.answers === other.answers || JSON.stringify(one.answers) === JSON.stringify(other.answers))
  )
}

function expand({ but = [] }: ShortFindings, shared: readonly GateRecord[]): readonly GateRecord[] {
  const list = [...shared]
  // A damaged list is shorter than the one that the differences belong to.
  for (const [index, finding] of but) if (index < list.length) list[index] = finding
  return list
}
