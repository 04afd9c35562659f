import type { ResourceUse } from '../../core/resource-use.ts'
import type { StoredEntry } from '../entries/entry.ts'

/** Figures for one tool, or for all tools. */
export interface Figures {
  readonly calls: number
  readonly completed: number
  readonly failed: number
  readonly denied: number
  readonly rolled_back: number
  readonly aborted: number
  /** Between 0 and 1; null if there were no calls. */
  readonly success_rate: number | null
  readonly failure_rate: number | null
  readonly duration_ms: {
    readonly p50: number | null
    readonly p95: number | null
    readonly p99: number | null
    readonly max: number | null
  }
  /** For the measured calls; null if there are none. */
  readonly resources: ResourceFigures | null
}

/** Resources that the measured calls used in total. */
export interface ResourceFigures {
  readonly measured: number
  readonly cpu_ms: number
  /** The peak memory of the process up to the end of any of them. */
  readonly max_rss_bytes: number
  readonly fs_reads: number
  readonly fs_writes: number
}

/** Figures for a whole log. */
export interface Statistics extends Figures {
  readonly sessions: number
  readonly undone: number
  readonly files_changed: number
  readonly by_tool: Readonly<Record<string, Figures>>
  readonly by_error: Readonly<Record<string, number>>
  readonly capability_denials: number
}

interface Tally {
  calls: number
  states: Map<string, number>
  durations: number[]
  resources: ResourceFigures | null
}

/** Counts calls by outcome, durations of calls that ran, undone calls and more. */
export function countEntries(entries: Iterable<StoredEntry>): Statistics {
  const all = newTally()
  const byTool = new Map<string, Tally>()
  const byError = new Map<string, number>()
  const sessions = new Set<string>()
  /** Calls that changed files, which may still turn out to have been rolled back. */
  const changing = new Map<string, { readonly files: number; readonly tallies: readonly Tally[] }>()
  let undone = 0
  let filesChanged = 0
  for (const { session, entry } of entries) {
    sessions.add(session.name)
    if (entry.kind === 'undo') undone += entry.calls.length
    if (entry.kind === 'redo') undone -= entry.calls.length
    if (entry.kind === 'undo' && entry.rollsBack?.because === 'obstacle') {
      const known = changing.get(entry.rollsBack.execution)
      if (known === undefined) continue
      undone--
      filesChanged -= known.files
      for (const { states } of known.tallies) {
        states.set('COMPLETED', (states.get('COMPLETED') ?? 0) - 1)
        states.set('ROLLED_BACK', (states.get('ROLLED_BACK') ?? 0) + 1)
      }
      byError.set('execution_failed', (byError.get('execution_failed') ?? 0) + 1)
    }
    if (entry.kind !== 'settled') continue
    filesChanged += entry.changes.length
    if (entry.error !== null) byError.set(entry.error.code, (byError.get(entry.error.code) ?? 0) + 1)
    const ofTool = byTool.get(entry.name) ?? newTally()
    byTool.set(entry.name, ofTool)
    const state = entry.moves.at(-1)?.state ?? 'DECLARED'
    const hasRun = entry.moves.some((move) => move.state === 'EXECUTING')
    if (entry.changes.length > 0)
      changing.set(entry.execution, { files: entry.changes.length, tallies: [all, ofTool] })
    for (const tally of [all, ofTool]) {
      tally.calls++
      tally.states.set(state, (tally.states.get(state) ?? 0) + 1)
      if (hasRun) tally.durations.push(entry.durationMs)
      if (entry.usage !== undefined) tally.resources = addUse(tally.resources, entry.usage)
    }
  }
  return {
    ...figuresOf(all),
    sessions: sessions.size,
    undone,
    files_changed: filesChanged,
    by_tool: Object.fromEntries(
      [...byTool].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, tally]) => [name, figuresOf(tally)]),
    ),
    by_error: Object.fromEntries([...byError].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    capability_denials: byError.get('capability_denied') ?? 0,
  }
}

function newTally(): Tally {
  return { calls: 0, states: new Map(), durations: [], resources: null }
}

function addUse(sum: ResourceFigures | null, use: ResourceUse): ResourceFigures {
  return {
    measured: (sum?.measured ?? 0) + 1,
    cpu_ms: Math.round(((sum?.cpu_ms ?? 0) + use.cpuMs) * 1000) / 1000,
    max_rss_bytes: Math.max(sum?.max_rss_bytes ?? 0, use.maxRssBytes),
    fs_reads: (sum?.fs_reads ?? 0) + use.fsReads,
    fs_writes: (sum?.fs_writes ?? 0) + use.fsWrites,
  }
}

function figuresOf({ calls, states, durations, resources }: Tally): Figures {
  const count = (state: string): number => states.get(state) ?? 0
  const completed = count('COMPLETED')
  const sorted = durations.toSorted((a, b) => a - b)
  return {
    calls,
    completed,
    failed: count('FAILED'),
    denied: count('DENIED'),
    rolled_back: count('ROLLED_BACK'),
    aborted: count('ABORTED'),
    success_rate: calls === 0 ? null : completed / calls,
    failure_rate: calls === 0 ? null : (calls - completed) / calls,
    duration_ms: {
      p50: percentile(sorted, 0.5),
      p95: percentile(sorted, 0.95),
      p99: percentile(sorted, 0.99),
      max: sorted.at(-1) ?? null,
    },
    resources,
  }
}

/** The smallest value that is at least as large as this share of all values. */
function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null
}
