import { sessionId } from '../chain/chain.ts'
import type { Digest, Entry, SessionKey, StoredEntry } from '../entries/entry.ts'
import type { ForgottenSpan } from '../entries/forgotten-entry.ts'
import type { LogStore } from '../log.ts'
import { digestsOf } from '../entries/mentions.ts'
import { createErasingGroup } from './erase-together.ts'
import type { ErasingOptions } from './erase-together.ts'

/** Which calls to forget. */
export type ForgetSelection =
  | { readonly is: 'session'; readonly session: SessionKey }
  /** An execution id, or a unique prefix of one. */
  | { readonly is: 'call'; readonly prefix: string; readonly root?: string }
  /** Everything recorded before a time in epoch milliseconds, of a root or of all roots. */
  | { readonly is: 'before'; readonly time: number; readonly root?: string }

/** How to forget. */
export interface ForgetOptions extends ErasingOptions {
  /** Recorded in the log with what was erased. */
  readonly why: string
}

/** What was erased, or why nothing matched. */
export type ForgetReport =
  | {
      readonly ok: true
      readonly payloads: number
      readonly bytes: number
      readonly sessions: readonly SessionKey[]
      /** False if other processes kept the erased bytes in the files; they go when the last of them closes the journal. */
      readonly isScrubbed: boolean
      /** How many files outside the journal were erased as well, if the caller has such files. */
      readonly files?: number
      /** Copies that repairs have kept, from which nothing was erased. */
      readonly copies?: readonly string[]
    }
  | { readonly ok: false; readonly why: 'none' }
  | { readonly ok: false; readonly why: 'several'; readonly executions: readonly string[] }

/**
 * Erases payloads that only the selected calls use: arguments, results, old and new contents. Their entries stay, so
 * the chain still verifies. Payloads that are needed to finish a batch or to land a commit are kept.
 */
export async function forget(
  store: LogStore,
  selection: ForgetSelection,
  options: ForgetOptions,
): Promise<ForgetReport> {
  const chosen = choose(store, selection)
  if (typeof chosen !== 'function') return chosen
  const { sessions, needed, readUpTo } = collect(store, chosen)
  const before = selection.is === 'before' ? selection.time : null
  const touched: SessionKey[] = []
  /** How many sessions have yet to record that they forget a payload; whoever is last erases it. */
  const left = new Map<Digest, number>()
  const countDown = (digest: Digest, by: number): unknown => left.set(digest, (left.get(digest) ?? 0) + by)
  for (const { digests } of sessions) for (const digest of digests) countDown(digest, 1)
  const group = createErasingGroup(store, options)
  try {
    for (const { key, digests, executions, isNews } of sessions) {
      const free = [...digests].filter(
        (digest) => left.get(digest) === 1 && !needed.has(digest) && store.payloadBytes(digest) !== null,
      )
      if (free.length > 0 || isNews) {
        const span = selection.is === 'call' ? null : { upTo: readUpTo.get(sessionId(key)) ?? 0, before }
        const erasure = { why: options.why, executions: [...executions], span, readUpTo, payloads: free }
        if (!(await group.add({ session: key, erasure }))) continue
        touched.push(key)
      }
      for (const digest of digests) countDown(digest, -1)
    }
    const { payloads, bytes } = await group.finish()
    return { ok: true, payloads, bytes, sessions: touched, isScrubbed: payloads === 0 || store.scrub() }
  } finally {
    group.close()
  }
}

type Chooser = (stored: StoredEntry, execution: string) => boolean

function choose(
  store: LogStore,
  selection: ForgetSelection,
): Chooser | Extract<ForgetReport, { readonly ok: false }> {
  if (selection.is === 'session') {
    const { root, name } = selection.session
    return store.sessions(root).some((key) => key.name === name)
      ? ({ session }) => session.root === root && session.name === name
      : { ok: false, why: 'none' }
  }
  if (selection.is === 'call') {
    const found = findCalls(store, selection.prefix, selection.root)
    if (!found.ok) return found
    const own = new Set([found.execution, ...revertsOf(found.execution, found.entries)])
    return (_, execution) => own.has(execution)
  }
  const { time, root } = selection
  return ({ at, session }) => at < time && (root === undefined || session.root === root)
}

/** The undos and redos of this call alone: they name its contents again. */
function revertsOf(call: string, entries: readonly StoredEntry[]): readonly string[] {
  return entries.flatMap(({ entry }) =>
    (entry.kind === 'undo' || entry.kind === 'redo') && entry.calls.every((one) => one === call)
      ? [entry.execution]
      : [],
  )
}

interface Chosen {
  readonly key: SessionKey
  readonly digests: ReadonlySet<Digest>
  readonly executions: ReadonlySet<string>
  /** Whether this forgets anything that is still stored and was not forgotten before. */
  readonly isNews: boolean
}

interface Collected {
  readonly sessions: readonly Chosen[]
  /** Payloads that other calls refer to, or that are still in use. */
  readonly needed: ReadonlySet<Digest>
  readonly readUpTo: ReadonlyMap<string, number>
}

function collect(store: LogStore, isChosen: Chooser): Collected {
  const open = new Set(store.openBatches().map(({ batch }) => batch))
  const unlanded = new Set(store.unlanded().map(({ execution }) => execution))
  const needed = new Set<Digest>()
  const readUpTo = new Map<string, number>()
  const sessions = store.sessions().map((key) => {
    const wasForgotten = readForgotten(store, key)
    const digests = new Set<Digest>()
    const executions = new Set<string>()
    let isNews = false
    for (const stored of store.read(key)) {
      readUpTo.set(sessionId(key), stored.seq)
      for (const { execution, digest } of digestsOf(stored.entry)) {
        const isInUse = isOpen(stored.entry, open) || unlanded.has(execution)
        if (!isInUse && isChosen(stored, execution)) {
          digests.add(digest)
          executions.add(execution)
          isNews ||= !wasForgotten(stored, execution) && store.payloadBytes(digest) !== null
        } else if (isInUse || !wasForgotten(stored, execution)) needed.add(digest)
      }
    }
    return { key, digests, executions, isNews }
  })
  return { sessions, needed, readUpTo }
}

/** Calls that were forgotten before do not keep shared payloads alive. */
function readForgotten(store: LogStore, key: SessionKey): Chooser {
  const calls = new Set<string>()
  const spans: ForgottenSpan[] = []
  for (const { entry, seq } of store.read(key)) {
    if (entry.kind !== 'forgotten' || !store.vouchesFor(key, seq)) continue
    if (entry.span === undefined) for (const execution of entry.executions) calls.add(execution)
    else spans.push(entry.span)
  }
  return ({ seq, at }, execution) =>
    calls.has(execution) || spans.some(({ upTo, before }) => seq <= upTo && (before === null || at < before))
}

function isOpen(entry: Entry, open: ReadonlySet<string>): boolean {
  return 'batch' in entry && open.has(entry.batch)
}

/** A call with all entries about it, or why it was not found. */
export type CallSearch =
  | {
      readonly ok: true
      readonly session: SessionKey
      readonly execution: string
      readonly entries: readonly StoredEntry[]
    }
  | { readonly ok: false; readonly why: 'none' }
  | { readonly ok: false; readonly why: 'several'; readonly executions: readonly string[] }

/** Finds a call by its execution id or a unique prefix of it. */
export function findCalls(store: LogStore, prefix: string, root?: string): CallSearch {
  const found = prefix === '' ? [] : store.findCalls(prefix, root)
  const call = found.find(({ execution }) => execution === prefix) ?? found[0]
  if (call === undefined) return { ok: false, why: 'none' }
  if (found.length > 1 && call.execution !== prefix) {
    return { ok: false, why: 'several', executions: found.map(({ execution }) => execution) }
  }
  return { ok: true, ...call, entries: store.about(call) }
}
