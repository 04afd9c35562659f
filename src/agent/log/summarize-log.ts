import type { StoredEntry } from '../../journal/entries/entry.ts'
import type { FileChange } from '../../journal/entries/file-change.ts'
import { netChanges } from '../../journal/folds/net-changes.ts'
import type { NetChange } from '../../journal/folds/net-changes.ts'
import { addUsage, NOTHING_USED, readUsage } from '../loop/budget.ts'
import type { Usage } from '../events.ts'

/** A call that changed or started something, and on whose word. */
export interface AllowedCall {
  readonly execution: string
  readonly name: string
  readonly files: number
  /** Who said yes; null if nobody had to be asked. */
  readonly by: string | null
  /** The grant that made a question needless. */
  readonly grant: string | null
}

/** A call that was refused, and by what. */
export interface RefusedCall {
  readonly execution: string
  readonly name: string
  readonly code: string
  readonly gate: string | null
}

/** What a part of the log says about the work that was done. */
export interface LogSummary {
  readonly sessions: readonly string[]
  /** What became of each file, undone changes left out. */
  readonly changes: readonly NetChange[]
  readonly allowed: readonly AllowedCall[]
  readonly refused: readonly RefusedCall[]
  /** Calls whose effects are not known, such as after a crash. */
  readonly doubtful: readonly RefusedCall[]
  readonly calls: number
  readonly failed: number
  readonly undone: number
  readonly turns: number
  readonly models: readonly string[]
  readonly usage: Usage
  /** The last hash of each session, with which `audit verify --since` checks that nothing before it was changed. */
  readonly heads: readonly { readonly session: string; readonly hash: string }[]
  /** Epoch milliseconds; null if nothing is there. */
  readonly from: number | null
  readonly to: number | null
}

/** Keeps the entries of the last turn, and what was undone since. */
export function entriesOfLastTurn(entries: readonly StoredEntry[]): readonly StoredEntry[] {
  const last = entries.findLast(({ entry }) => 'turn' in entry)
  if (last === undefined || !('turn' in last.entry)) return []
  const { turn } = last.entry
  const own = entries.filter(({ session }) => session.name === last.session.name)
  const first = own.findIndex(({ entry }) => 'turn' in entry && entry.turn === turn)
  // Calls of an older turn may settle in between, when their answers come late.
  return own.slice(first).filter(({ entry }) => !('turn' in entry) || entry.turn === turn)
}

/** Says what the entries did, in their order. */
export function summarizeLog(entries: readonly StoredEntry[]): LogSummary {
  const changes: FileChange[] = []
  const roots = new Set<string>()
  const allowed: AllowedCall[] = []
  const refused: RefusedCall[] = []
  const doubtful: RefusedCall[] = []
  const models = new Set<string>()
  const turns = new Set<string>()
  const heads = new Map<string, string>()
  const askedAbout = new Map<string, string>()
  const answeredBy = new Map<string, string>()
  let [calls, failed, undone] = [0, 0, 0]
  let usage = NOTHING_USED
  for (const { entry, session, hash } of entries) {
    heads.set(session.name, hash)
    roots.add(session.root)
    if ('turn' in entry) turns.add(entry.turn)
    switch (entry.kind) {
      case 'asked':
        for (const { approval, execution } of entry.questions) askedAbout.set(approval, execution)
        break
      case 'answered': {
        const execution = askedAbout.get(entry.approval)
        if (entry.isApproved && execution !== undefined)
          answeredBy.set(execution, entry.actor?.id ?? 'somebody')
        break
      }
      case 'settled': {
        const { execution, name, error, effect } = entry
        const state = entry.moves.at(-1)?.state
        calls += 1
        changes.push(...entry.changes)
        if (error === null || error.code === 'execution_failed') {
          if (error !== null) failed += 1
          if (effect !== 'read')
            allowed.push({
              execution,
              name,
              files: netChanges(entry.changes, session.root).length,
              by: answeredBy.get(execution) ?? null,
              grant: entry.grant?.sentence ?? null,
            })
          break
        }
        const gate = entry.gates.findLast(({ verdict }) => verdict === 'deny')?.gate ?? null
        if (error.code === 'in_doubt') doubtful.push({ execution, name, code: error.code, gate })
        else if (state === 'DENIED') refused.push({ execution, name, code: error.code, gate })
        else failed += 1
        break
      }
      case 'undo':
      case 'redo':
        if (entry.rollsBack === undefined) undone += entry.kind === 'undo' ? 1 : -1
        changes.push(...entry.changes)
        break
      case 'note':
        if (entry.about === 'usage') usage = addUsage(usage, readUsage(entry.data))
        break
      case 'said':
        if (entry.model !== null) models.add(entry.model)
        break
      default:
    }
  }
  return {
    sessions: [...heads.keys()],
    changes: netChanges(changes, roots.size === 1 ? ([...roots][0] ?? null) : null).toSorted((one, other) =>
      one.path < other.path ? -1 : 1,
    ),
    allowed,
    refused,
    doubtful,
    calls,
    failed,
    undone: Math.max(0, undone),
    turns: turns.size,
    models: [...models],
    usage,
    heads: [...heads].map(([session, hash]) => ({ session, hash })),
    from: entries[0]?.at ?? null,
    to: entries.at(-1)?.at ?? null,
  }
}
