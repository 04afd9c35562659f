import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import type { Edits, Files, ProcessEnd, SessionStore, Spawn, SpawnRequest } from '../../core/powers.ts'
import type { Web } from '../../core/web/web.ts'
import type { CallContext, Effect, PowersOf, SettingsView, Tool } from '../../core/tool.ts'
import type { Converse } from '../../core/conversation/delegation.ts'
import type { Boundary } from '../../policy/capabilities/boundary.ts'
import type { SessionLog } from '../../journal/log.ts'
import type { Transaction } from '../../workspace/workspace.ts'
import {
  boundClock,
  boundEdits,
  boundStore,
  closedBackground,
  closedEdits,
  closedFiles,
  closedSpawn,
  closedWeb,
} from './enforce-capabilities.ts'
import { limitEdits, limitFiles } from './enforce-limits.ts'
import type { Engine, SharedWeb, Shell, ShellHooks } from '../engine.ts'
import type { CallLayer } from './call-layer.ts'
import { createBackground } from './background/background-powers.ts'
import { judgeOne } from './judge-content.ts'
import type { Received } from '../step.ts'

/** What one call may use. */
export interface Allowance {
  readonly maxOutputBytes: number
  readonly capacityBytes: number | null
  /** What is left of the time budget of all attempts; if absent, only the call's own timeout counts. */
  readonly timeoutMs?: number
  /** Whether this is a later attempt, so that the start is already recorded. */
  readonly isRetry?: boolean
}

/** What the context of one call is made from. */
export interface ToolContextSource {
  readonly tool: Tool
  readonly call: Received
  readonly allowance: Allowance
  readonly timeoutMs: number
  readonly isDryRun: boolean
  readonly settings: SettingsView
  readonly now: () => number
  readonly emit: CallContext['emit']
  readonly attach: CallContext['attach']
  /** Whether output events are watched. */
  readonly isWatched: boolean
  readonly stop: () => AbortController
  /** Told of each process before it starts; it prevents the start by throwing. */
  readonly onStart: ((request: SpawnRequest) => void) | undefined
  readonly transaction: Transaction
  readonly boundary: Boundary
  readonly shell: Shell
  readonly log: SessionLog
  /** Values that are secret whatever they look like. */
  readonly knownSecrets: Engine['knownSecrets']
  readonly digest: Engine['digest']
  readonly web: SharedWeb
  readonly checkContent: Engine['checkContent']
  readonly isNoSecret: ShellHooks['isNoSecret']
  readonly onHidden: ShellHooks['onHidden']
  /** The layer of the processes it starts; absent for a preview, which starts none. */
  readonly layer: CallLayer | undefined
  /** Holds a conversation for the call. */
  readonly converse: () => Converse
}

/**
 * Gives a tool what its effect entitles it to, within its limits and declared capabilities. Declared capabilities are
 * passed through unwrapped, so that using them costs nothing; using any other stops the tool.
 */
export function createToolContext(source: ToolContextSource): PowersOf[Effect] {
  const { tool, call, transaction, boundary, shell, emit, stop } = source
  const powers = new ToolContext(source)
  switch (tool.effect) {
    case 'read':
      return powers
    case 'edit':
      return entitle(powers, {
        edits: boundEdits(limitEdits(tool, transaction.edits), boundary),
        judge: (path: string) => judgeOne(path, transaction, source.checkContent),
      })
    case 'spawn': {
      const { maxOutputBytes } = source.allowance
      const { isWatched, isNoSecret, onHidden } = source
      const session = source.log.key
      const { execution } = call
      const hooks = { emit, isWatched, execution, session, maxOutputBytes, isNoSecret, onHidden }
      const mayRunDry = source.isDryRun && source.layer?.mayRunDry === true
      const announce: Spawn['announce'] = (request) => source.onStart?.({ cwd: powers.cwd, ...request })
      const run: Spawn['run'] = async (request) => {
        announce(request)
        if (source.isDryRun && !mayRunDry) throw startsNothing(request)
        const layer = (await source.layer?.open()) ?? null
        if (source.isDryRun && layer === null) throw startsNothing(request)
        const end = await shell.run(
          { cwd: powers.cwd, ...request },
          { signal: stop().signal, layer, ...hooks },
        )
        source.layer?.note([...describeFailure(end), ...end.leftForGit])
        return end
      }
      const background = createBackground(source, (request) => {
        announce(request)
        if (source.isDryRun) throw startsNothing(request)
        return { cwd: powers.cwd, ...request }
      })
      return entitle(
        powers,
        boundary.holds('process.spawn')
          ? { spawn: { run, announce, mayRunDry }, background }
          : { spawn: closedSpawn(boundary), background: closedBackground(boundary) },
      )
    }
    case 'external':
      return entitle(powers, { idempotencyKey: call.execution, web: webOf(source) })
  }
}

/** What a person should know before the changes of a command land that did not end well. */
function describeFailure({ exitCode, signal }: ProcessEnd): readonly string[] {
  if (exitCode === 0) return []
  const how = exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `ended with exit code ${exitCode}`
  return [`The command ${how}; it may have done only a part of its work.`]
}

/** The web for a call that declared to connect: only the origin that was judged and asked about, and none in a dry run. */
function webOf({ tool, call, web, boundary, log, isDryRun }: ToolContextSource): Web {
  if (!boundary.holds('network.connect')) return closedWeb(boundary)
  const { args, execution } = call
  return {
    fetch: async (request) => {
      if (isDryRun) throw failure('execution_failed', 'A dry run fetches nothing.', { dry_run: true })
      const { origin } = request.address
      if (tool.webAddress(args)?.origin === origin) return web.fetch(request)
      const message = `${tool.name} did not say that it would fetch from ${origin}, so no one was asked about it.`
      throw failure('not_allowed', message, { origin })
    },
    readPage: web.readPage,
    store: (content) => web.store(content, { session: log.key, execution }),
  }
}

/** Stops tools that try to start a process in a dry run, for which no approval was given. */
function startsNothing({ argv }: SpawnRequest): ToolFailure {
  const details = { dry_run: true, would_run: [...argv] }
  return failure(
    'execution_failed',
    `A dry run starts no process; this would have run: ${argv.join(' ')}`,
    details,
  )
}

/** Plain assignment would hit the getters below. */
function entitle<More extends object>(powers: ToolContext, more: More): ToolContext & More {
  for (const [name, value] of Object.entries(more))
    Object.defineProperty(powers, name, { value, enumerable: true })
  return powers as ToolContext & More
}

/** A class with getters, because one is made for every call and most tools never use what the getters create. */
class ToolContext implements CallContext {
  readonly callId: string
  readonly executionId: string
  readonly settings: SettingsView
  readonly timeoutMs: number
  readonly maxOutputBytes: number
  readonly capacityBytes: number | null
  readonly cwd: string
  readonly isDryRun: boolean
  readonly emit: CallContext['emit']
  readonly attach: CallContext['attach']
  readonly #source: ToolContextSource
  #files: Files | null = null

  constructor(source: ToolContextSource) {
    const { call, allowance } = source
    this.callId = call.id
    this.executionId = call.execution
    this.settings = source.settings
    this.timeoutMs = source.timeoutMs
    this.maxOutputBytes = allowance.maxOutputBytes
    this.capacityBytes = allowance.capacityBytes
    this.cwd = call.meta.cwd ?? '.'
    this.isDryRun = source.isDryRun
    this.emit = source.emit
    this.attach = source.attach
    this.#source = source
  }

  get now(): () => number {
    return boundClock(this.#source.now, this.#source.boundary)
  }

  get files(): Files {
    const { tool, transaction, boundary } = this.#source
    this.#files ??= boundary.holds('filesystem.read')
      ? limitFiles(tool, transaction.files)
      : closedFiles(boundary)
    return this.#files
  }

  get signal(): AbortSignal {
    return this.#source.stop().signal
  }

  get store(): SessionStore {
    const { transaction, boundary } = this.#source
    return boundStore(transaction.store, boundary)
  }

  get converse(): Converse {
    return this.#source.converse()
  }

  /** Tools without edits are not given any; one that uses them anyway gets a clear error instead of a crash. */
  get edits(): Edits | undefined {
    const { boundary } = this.#source
    return boundary.holds('filesystem.write') ? undefined : closedEdits(boundary)
  }

  /** The same for processes. */
  get spawn(): Spawn | undefined {
    const { boundary } = this.#source
    return boundary.holds('process.spawn') ? undefined : closedSpawn(boundary)
  }
}
