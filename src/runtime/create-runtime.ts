import { join, resolve } from 'node:path'
import type { LoadedSettings } from '../config/load-settings.ts'
import type { ApprovalRequest, Approver } from '../core/approval.ts'
import type { Actor, Origin, ToolCall } from '../core/call.ts'
import type { Clock } from '../core/clock.ts'
import { createRegistry } from '../core/registry.ts'
import type { ToolDefinition } from '../core/registry.ts'
import type { ToolResult } from '../core/result.ts'
import type { Tool } from '../core/tool.ts'
import { systemClock } from '../host/clock.ts'
import { canonicalFolder, isInside, stateFolder } from '../host/folders.ts'
import { digest } from '../host/hash.ts'
import { createIds } from '../host/ids.ts'
import type { StoredEntry } from '../journal/entry.ts'
import { explainCall } from '../journal/explain-call.ts'
import type { CallExplanation } from '../journal/explain-call.ts'
import type { ForgetReport, ForgetSelection } from '../journal/forget.ts'
import type { SessionLog } from '../journal/log.ts'
import { countEntries } from '../journal/statistics.ts'
import type { Statistics } from '../journal/statistics.ts'
import { conduct } from '../pipeline/conduct.ts'
import type { House, LiveEvent, Run } from '../pipeline/house.ts'
import { inspect, recover } from '../pipeline/recover.ts'
import type { InterruptedBatch, RecoveryChoice } from '../pipeline/recover.ts'
import { carryOut, planRedo, planUndo } from '../pipeline/revert.ts'
import type { RevertReport, UndoSelection } from '../pipeline/revert.ts'
import { createValidation } from '../pipeline/validate.ts'
import { builtInTools } from '../tools/built-in.ts'
import { openWorkspace } from '../workspace/open-workspace.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { createApprovals } from './approvals.ts'
import type { Approvals } from './approvals.ts'
import { ConfigurationError } from './configuration-error.ts'
import { loadConfiguration } from './load-configuration.ts'
import { openMailbox } from './mailbox.ts'
import { openSessions } from './sessions.ts'

/** How a runtime is made. Only the root is needed. */
export interface RuntimeOptions {
  readonly root: string
  readonly stateDir?: string
  /** Settings, nested or by dotted name. */
  readonly config?: Readonly<Record<string, unknown>>
  readonly profile?: 'agent' | 'strict' | 'srd'
  /** Tools beside the built-in ones. */
  readonly tools?: readonly Tool[]
  /** Answers questions about calls that need approval; without it such calls are denied. */
  readonly approve?: Approver
  readonly durability?: 'full' | 'normal' | 'memory'
  readonly clock?: Clock
  /** Settings that are loaded already, as the command line has them. */
  readonly loaded?: LoadedSettings
}

/** What may be said about one run. */
export interface RunOptions {
  readonly session?: string
  readonly actor?: Actor
  readonly signal?: AbortSignal
  readonly onEvent?: (event: LiveEvent) => void
  readonly dryRun?: boolean
  readonly origin?: Origin
}

/** What to take back: the newest call by default. */
export interface UndoOptions {
  readonly session?: string
  readonly actor?: Actor
  /** Works out the list of files and touches none. */
  readonly dryRun?: boolean
  readonly last?: number
  readonly turn?: boolean
  readonly calls?: readonly string[]
}

/** The library: one pipeline, whoever calls. */
export interface Runtime {
  readonly root: string
  readonly configuration: LoadedSettings
  readonly definitions: () => readonly ToolDefinition[]
  /** Finishes what an interrupted process left half in place; every other function does so by itself. */
  readonly ready: () => Promise<void>
  readonly run: (calls: readonly ToolCall[], options?: RunOptions) => Promise<readonly ToolResult[]>
  /** Questions that wait for an answer. */
  readonly pending: (options?: { readonly session?: string }) => Promise<readonly ApprovalRequest[]>
  /** Answers waiting questions; the last answer of a batch runs it. */
  readonly decide: Approvals['decide']
  readonly undo: (options?: UndoOptions) => Promise<RevertReport>
  readonly redo: (options?: Pick<UndoOptions, 'session' | 'actor' | 'dryRun'>) => Promise<RevertReport>
  /** What interrupted batches left; with a choice, what was done with it. */
  readonly recover: (options?: {
    readonly session?: string
    readonly choice?: RecoveryChoice
  }) => Promise<readonly InterruptedBatch[]>
  /** What happened, oldest first, in one session or all of this root. */
  readonly log: (options?: { readonly session?: string }) => Iterable<StoredEntry>
  /** Which gate decided about a call, and on what; one answer per call that the prefix fits. */
  readonly why: (prefix: string) => readonly CallExplanation[]
  /** Erases recorded contents of a session, a call or everything older than some days; the log still verifies. */
  readonly forget: (
    what: { readonly session: string } | { readonly call: string } | { readonly olderThanDays: number },
  ) => Promise<ForgetReport>
  readonly stats: (options?: { readonly session?: string }) => Statistics
  readonly close: () => Promise<void>
}

const DEFAULT_SESSION = 'default'

/** Opens a root for tool calls. */
export async function createRuntime(options: RuntimeOptions): Promise<Runtime> {
  const root = canonicalRoot(options.root)
  const stateDir = placeState(options.stateDir, root)
  const { config: given, profile } = options
  const configuration =
    options.loaded ??
    (await loadConfiguration({ root, stateDir, env: process.env, isPersonal: false, given, profile }))
  const { settings } = configuration
  const registry = createRegistry([...builtInTools, ...(options.tools ?? [])])
  const clock = options.clock ?? systemClock
  const backupFolder = join(stateDir, 'backups')
  const folders = openWorkspace({ root, settings, clock, backupFolder })
  const newId = createIds(clock)
  const durability = options.durability ?? settings['journal.durability']
  const sessions = openSessions({
    root,
    stateDir,
    durability,
    clock,
    workspace: folders,
    waitMs: settings['journal.session_wait_seconds'] * 1000,
    retention: {
      maxBytes: settings['journal.max_bytes'],
      maxAgeDays: settings['journal.max_age_days'],
      backupFolder,
    },
  })
  const workspace: Workspace = {
    ...folders,
    land: (...change) => {
      const landing = folders.land(...change)
      if (landing.is === 'failed') sessions.retryLandings()
      return landing
    },
  }
  const recovery = { registry, digest, now: clock.now }
  let house: House | null = null

  async function openHouse(): Promise<House> {
    house ??= { settings, registry, workspace, validation: await createValidation(), clock, newId, digest }
    return house
  }

  function runIn(log: SessionLog, { actor, signal, onEvent, dryRun, origin }: RunOptions): Run {
    return {
      log,
      origin: origin ?? 'person',
      actor: actor ?? null,
      isDryRun: dryRun ?? false,
      signal: signal ?? new AbortController().signal,
      onEvent: onEvent ?? (() => undefined),
      approve: options.approve ?? null,
      turn: newId(),
    }
  }

  const approvals = createApprovals({ sessions, mailbox: openMailbox(stateDir), house: openHouse, runIn })

  async function run(calls: readonly unknown[], runOptions: RunOptions = {}): Promise<readonly ToolResult[]> {
    const log = await sessions.open(runOptions.session ?? DEFAULT_SESSION)
    return conduct(calls, await openHouse(), runIn(log, runOptions))
  }

  async function undo(wish: UndoOptions = {}): Promise<RevertReport> {
    const log = await sessions.open(wish.session ?? DEFAULT_SESSION)
    const plan = planUndo(log, workspace, selectionOf(wish))
    return wish.dryRun === true ? plan.report : carryOut(plan, log, workspace, newId(), wish.actor ?? null)
  }

  return {
    root,
    configuration,
    definitions: () => registry.definitions,
    ready: sessions.ready,
    run,
    pending: ({ session } = {}) => approvals.pending(session),
    decide: approvals.decide,
    undo,
    async redo(wish = {}) {
      const log = await sessions.open(wish.session ?? DEFAULT_SESSION)
      const plan = planRedo(log, workspace)
      return wish.dryRun === true ? plan.report : carryOut(plan, log, workspace, newId(), wish.actor ?? null)
    },
    async recover({ session, choice } = {}) {
      const found: InterruptedBatch[] = []
      for (const name of session === undefined ? sessions.names() : [session]) {
        const log = await sessions.open(name)
        found.push(
          ...(choice === undefined ? await inspect(log, recovery) : await recover(log, choice, recovery)),
        )
      }
      return found
    },
    log: ({ session } = {}) => sessions.read(session),
    why: (prefix) =>
      sessions.find(prefix).flatMap(({ execution, entries }) => explainCall(execution, entries) ?? []),
    forget: (what) => sessions.forget(selectForgotten(what, root, clock.now())),
    stats: ({ session } = {}) => countEntries(sessions.read(session)),
    async close() {
      await sessions.close()
      workspace.close()
    },
  }
}

function selectForgotten(what: Parameters<Runtime['forget']>[0], root: string, now: number): ForgetSelection {
  if ('session' in what) return { is: 'session', session: { root, name: what.session } }
  if ('call' in what) return { is: 'call', prefix: what.call, root }
  return { is: 'before', time: now - what.olderThanDays * 86_400_000, root }
}

function selectionOf({ calls, turn, last }: UndoOptions): UndoSelection {
  if (calls !== undefined) return { is: 'calls', executions: calls }
  return turn === true ? { is: 'turn' } : { is: 'last', count: last ?? 1 }
}

function canonicalRoot(path: string): string {
  const real = canonicalFolder(path)
  if (real !== null) return real
  throw new ConfigurationError([
    { source: 'root', message: `${path} is no folder that can be opened`, hint: 'check what --root names' },
  ])
}

/** The state folder, which must not lie where tools can reach it. */
function placeState(given: string | undefined, root: string): string {
  const stateDir = resolve(given ?? stateFolder(process.env))
  if (!isInside(stateDir, root)) return stateDir
  const message = `${stateDir} lies inside the workspace ${root}, where tools could reach it`
  throw new ConfigurationError([
    { source: 'state folder', message, hint: 'set TONGS_STATE_DIR to a folder elsewhere' },
  ])
}
