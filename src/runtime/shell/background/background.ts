import type { Settings } from '../../../config/keys.ts'
import { BACKGROUND_LIMITS } from '../../../config/fixed-values.ts'
import { describeBackgroundEnd } from '../../../core/shell/background.ts'
import type {
  BackgroundEnd,
  BackgroundReport,
  BackgroundRow,
  BackgroundWish,
} from '../../../core/shell/background.ts'
import { failure, ToolFailure } from '../../../core/error.ts'
import type { Layer } from '../../../core/layer.ts'
import type { ProcessEnd, SpawnRequest } from '../../../core/powers.ts'
import { waitFor } from '../../../core/wait.ts'
import { dropLive, noteLive } from '../../../host/run/noted/live-commands.ts'
import { steadyMs } from '../../../host/system/clock.ts'
import type { SessionKey } from '../../../journal/entries/entry.ts'
import type { BackgroundHooks, ShellHooks } from '../../../pipeline/engine.ts'
import { createUnreadOutput } from './unread-output.ts'
import type { UnreadOutput } from './unread-output.ts'

/** What runs commands in the background. */
export interface BackgroundDeps {
  readonly settings: Settings
  readonly stateDir: string
  /** What confines commands, in words. */
  readonly label: () => string
  readonly openLayer: (execution: string) => Promise<Layer | null>
  readonly discardLayer: (layer: Layer) => Promise<void>
  readonly run: (request: SpawnRequest, hooks: ShellHooks) => Promise<ProcessEnd>
}

/** The commands in the background of one runtime. */
export interface Background {
  readonly start: (request: SpawnRequest, hooks: BackgroundHooks) => Promise<BackgroundReport>
  readonly read: (
    session: SessionKey,
    handle: string,
    wish: BackgroundWish,
    signal: AbortSignal,
  ) => Promise<BackgroundReport>
  readonly list: () => readonly BackgroundRow[]
  /**
   * Stops those of a session, or all; settles when none of their processes is left. What had ended by itself can still be
   * read by its session.
   */
  readonly close: (session?: string) => Promise<void>
}

interface Command {
  readonly handle: string
  readonly session: SessionKey
  readonly row: Pick<BackgroundRow, 'command' | 'startedAt'>
  readonly startedMs: number
  readonly layer: Layer | null
  readonly stop: AbortController
  readonly streams: Readonly<Record<'stdout' | 'stderr', UnreadOutput>>
  /** Told of output and of the end. */
  readonly waiting: Set<() => void>
  /** Why it was stopped, if it was. */
  stopped: 'stopped' | 'closed' | null
  end: BackgroundEnd | null
  /** What kept it from running, or why nothing of its output may be used; null if nothing. */
  fault: unknown
  /** Looks for a reason of the second kind while it runs. */
  findFault: () => ToolFailure | null
  done: Promise<void>
}

/** Opens the table of commands that go on when their call has ended. */
export function openBackground(deps: BackgroundDeps): Background {
  const { settings } = deps
  const commands = new Map<string, Command>()
  let isClosed = false

  const find = (session: SessionKey, handle: string): Command => {
    const found = commands.get(handle)
    // No session reads the output of another, or stops its commands.
    if (found !== undefined && found.session.root === session.root && found.session.name === session.name)
      return found
    throw failure(
      'execution_failed',
      `No command in the background of this session has the handle ${handle}. One that ran in another process has ended with it.`,
      { handle },
      ['Start the command again if it is still needed.'],
    )
  }

  /** A limit on those that run, and on those that have ended and whose output can still be read. */
  const makeRoom = (): void => {
    const running = [...commands.values()].filter(({ end }) => end === null)
    const most = settings['tools.shell.background.max']
    if (running.length >= most)
      throw failure(
        'limit_exceeded',
        `${running.length} commands run in the background, and tools.shell.background.max is ${most}.`,
        { running: running.map(({ handle }) => handle) },
        ['Stop one that is not needed: run_shell with its handle and "stop": true.'],
      )
    for (const { handle, end } of commands.values()) {
      if (commands.size < BACKGROUND_LIMITS.remembered) return
      if (end !== null) commands.delete(handle)
    }
  }

  return {
    async start(request, hooks) {
      const { execution, session } = hooks
      if (isClosed) throw failure('not_allowed', 'The session is being closed.')
      makeRoom()
      const layer = await deps.openLayer(execution)
      const command: Command = {
        handle: execution,
        session,
        row: { command: hooks.words, startedAt: hooks.now() },
        startedMs: steadyMs(),
        layer,
        stop: new AbortController(),
        streams: {
          stdout: createUnreadOutput(BACKGROUND_LIMITS.unreadChars),
          stderr: createUnreadOutput(BACKGROUND_LIMITS.unreadChars),
        },
        waiting: new Set(),
        stopped: null,
        end: null,
        fault: null,
        findFault: () => null,
        done: Promise.resolve(),
      }
      commands.set(execution, command)
      command.done = runToEnd(command, request, hooks, deps)
      await quietOrDone(command, BACKGROUND_LIMITS.firstOutputMs, new AbortController().signal)
      if (command.fault === null) return report(command, deps)
      commands.delete(execution)
      throw command.fault
    },
    async read(session, handle, { waitMs, stop }, signal) {
      const command = find(session, handle)
      if (stop) await stopCommand(command, 'stopped')
      else await quietOrDone(command, waitMs, signal)
      return report(command, deps)
    },
    list: () =>
      [...commands.values()].map(({ handle, session, row, end }) => ({
        handle,
        session: session.name,
        ...row,
        state: end === null ? 'running' : 'ended',
        ended: end === null ? null : describeBackgroundEnd(end),
      })),
    async close(session) {
      isClosed ||= session === undefined
      const theirs = [...commands.values()].filter(
        (one) => session === undefined || (one.session.name === session && one.end === null),
      )
      await Promise.all(theirs.map((one) => stopCommand(one, 'closed')))
      for (const { handle } of theirs) commands.delete(handle)
    },
  }
}

/** Runs a command to its end, notes both, and drops its layer: nothing of it lands. It never rejects. */
async function runToEnd(
  command: Command,
  request: SpawnRequest,
  hooks: BackgroundHooks,
  { stateDir, run, discardLayer }: BackgroundDeps,
): Promise<void> {
  const { handle, layer, session, streams, row } = command
  let process: ProcessEnd | null = null
  try {
    // On record before it starts, so that a crash leaves a start without an end and not the reverse.
    hooks.onStart()
    noteLive(stateDir, { execution: handle, session: session.name, root: session.root, ...row })
    process = await run(request, {
      ...hooks,
      inBackground: hooks.words,
      signal: command.stop.signal,
      layer,
      isWatched: true,
      onStarted: (findFault) => {
        command.findFault = findFault
      },
      emit: (stream, chunk) => {
        streams[stream].add(chunk)
        wake(command)
      },
    })
  } catch (thrown) {
    command.fault ??= thrown
  }
  if (layer !== null) await discardLayer(layer).catch(() => undefined)
  command.end = {
    how: howOf(command, process),
    exitCode: process?.exitCode ?? null,
    signal: process?.signal ?? null,
    process,
  }
  dropLive(stateDir, handle)
  hooks.onEnd(command.end, Math.round(steadyMs() - command.startedMs))
  wake(command)
}

function howOf({ stopped, fault }: Command, process: ProcessEnd | null): BackgroundEnd['how'] {
  if (stopped !== null) return stopped
  if (process === null || fault !== null || process.isAbsent) return 'failed'
  return process.isTimedOut ? 'timed_out' : 'exited'
}

function wake({ waiting }: Command): void {
  for (const one of waiting) one()
}

/** What cannot be looked at may be anything. */
function findFaultOf({ findFault }: Command): ToolFailure | null {
  try {
    return findFault()
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return thrown
    return failure('execution_failed', 'It is unknown whether the command read hidden files. It was stopped.')
  }
}

/** Waits until there is output or the end, but no longer than this. */
async function quietOrDone(command: Command, waitMs: number, signal: AbortSignal): Promise<void> {
  const { streams, waiting } = command
  const isOver = (): boolean => command.end !== null || !streams.stdout.isEmpty() || !streams.stderr.isEmpty()
  if (isOver() || waitMs <= 0) return
  const woken = new AbortController()
  const onNews = (): void => woken.abort()
  waiting.add(onNews)
  await waitFor(waitMs, AbortSignal.any([signal, woken.signal]))
  waiting.delete(onNews)
}

async function stopCommand(command: Command, why: 'stopped' | 'closed'): Promise<void> {
  if (command.end === null) {
    command.stopped ??= why
    command.stop.abort()
  }
  await command.done
}

/**
 * Tells what is new of a command. It is looked for denied files that came while it ran after its output was taken and
 * before that is told, as at its end: a command that may have read one is stopped, and nothing more of it is told.
 */
async function report(command: Command, { label }: BackgroundDeps): Promise<BackgroundReport> {
  const { handle, streams, startedMs, layer } = command
  const told = { stdout: streams.stdout.take(), stderr: streams.stderr.take() }
  const found = command.end === null ? findFaultOf(command) : null
  if (found !== null) {
    command.fault = found
    command.stop.abort()
    await command.done
  }
  const { end, fault } = command
  if (fault instanceof ToolFailure && end !== null) throw fault
  return {
    handle,
    state: end === null ? 'running' : 'ended',
    ...told,
    runningMs: steadyMs() - startedMs,
    layer: layer?.rung ?? 'none',
    sandbox: end?.process?.sandbox ?? label(),
    end,
  }
}
