import { closeSync, existsSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { constants as system } from 'node:os'
import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import { waitFor } from '../../core/wait.ts'
import { LOST_RACE } from '../confine/bwrap-args.ts'
import type { Launch } from '../confine/confinement.ts'
import { showPath } from '../root/rel-path.ts'
import { createPause } from '../system/clock.ts'
import { planCgroup } from './cgroup.ts'
import { drainOutput, readOutput } from './output-reader.ts'
import { findHeldLimits } from './held-limits.ts'
import type { OutputReader, OutputSink } from './output-reader.ts'
import type { BoundedText } from './bounded-output.ts'
import { findMembers, killUntilGone } from './process-tree.ts'
import type { RunEnd, RunHooks, RunRequest, StreamName } from './run-request.ts'
import type { Spawner } from './spawner.ts'
import { describeLaunch } from './spawner-messages.ts'
import type { EndedEvent, SpawnerEvent } from './spawner-messages.ts'
import { createSpill } from './spill.ts'
import { readScriptReport, settleExit, wrapCommand } from './wrap-command.ts'

/** A command and everything needed to run it. */
export interface CommandRun {
  readonly spawner: Spawner
  readonly id: number
  /** A folder that no command can reach. */
  readonly place: string
  readonly cgroupHome: string | null
  readonly request: RunRequest
  readonly hooks: RunHooks
}

type StartedEvent = Extract<SpawnerEvent, { readonly is: 'started' }>

/** How much of the stderr of a sandbox that did not start is shown. */
const MAX_SHOWN_CHARS = 1_000
const STREAMS: readonly StreamName[] = ['stdout', 'stderr']

/**
 * How often a command is started if the workspace changes each time while its sandbox is set up, and for how long it is
 * waited before a further start: a build or a checkout beside it changes many files for a while.
 */
const MOST_STARTS = 6
const FIRST_WAIT_MS = 25

/** Runs a command from its start until none of its processes is left. */
export async function executeCommand(run: Omit<CommandRun, 'id'>, newId: () => number): Promise<RunEnd> {
  for (let starts = 1; starts <= MOST_STARTS; starts++) {
    const end = await tryCommand({ ...run, id: newId() })
    if (end !== null) return end
    if (starts < MOST_STARTS) await waitFor(FIRST_WAIT_MS * 2 ** (starts - 1), run.hooks.signal)
  }
  throw failure(
    'execution_failed',
    'The workspace, or what the command was granted, changed while its sandbox was set up, so the command did not run.',
    { starts: MOST_STARTS },
    ['Run it again when nothing else renames or replaces files there.'],
  )
}

/** Runs a command; null if it was not started because the workspace is not as it was looked at. */
async function tryCommand(run: CommandRun): Promise<RunEnd | null> {
  const { spawner, id, request, hooks } = run
  const isRoot = process.geteuid?.() === 0
  const canLimitProcesses = request.confinement.level === 'bwrap' && !isRoot
  const launch = request.confinement.launch({
    argv: wrapCommand(request.argv, request.limits, canLimitProcesses),
    cwd: request.cwd,
    env: request.env,
    layer: request.layer ?? null,
  })
  // The look above and the message that starts the command take a millisecond or more each.
  await createPause()(true)
  const mark = randomBytes(16).toString('hex')
  const pipes = await spawner.takePipes()
  const fds = pipes.map(({ fd }) => fd)
  const { started, ended } = follow(run, mark)
  const cancel = (): void => spawner.send({ is: 'stop', id, cause: 'cancel' })
  try {
    const start = await startOrClose(fds, () => {
      sendStart(run, launch, mark, { stdout: pipes[0].number, stderr: pipes[1].number })
      return started
    })
    if (start === null) return null
    const findFault = (): ToolFailure | null => {
      const moved = launch.findMoved?.() ?? request.findMoved?.() ?? null
      return moved === null ? null : movedMeanwhile(moved, (request.layer ?? null) !== null)
    }
    hooks.onStarted?.(findFault)
    hooks.signal?.addEventListener('abort', cancel, { once: true })
    if (hooks.signal?.aborted === true) cancel()

    const spill = request.spill === null ? null : createSpill(request.spill)
    const note = request.spill?.note ?? ''
    let listenerFault: { readonly error: unknown } | null = null
    const readers = fds.map((fd, at) => {
      const stream = STREAMS[at] ?? 'stdout'
      const sink: OutputSink = {
        onText: hooks.onChunk === undefined ? null : (text) => hooks.onChunk?.(stream, text),
        onBytes: spill === null ? null : (bytes) => spill.write(stream, bytes),
        onFault: (error) => {
          listenerFault ??= { error }
          cancel()
        },
      }
      return readOutput(fd, request.keepBytes, sink, Buffer.byteLength(note))
    })
    const end = await ended.finally(() => drainOutput(readers))
    const late = launch.newGit?.moveAside() ?? []
    await Promise.all(readers.map((reader) => reader.stop()))
    const report = readScriptReport(end.report)
    const said = readers[1]?.boundedText().text ?? ''
    const isChanged = report.isChanged || (!report.isReady && LOST_RACE.test(said))
    // Nothing was started, so nothing was read either.
    const isStarted = !isChanged || end.stopped !== null
    const fault = isStarted ? findFault() : null
    if (!isStarted || fault !== null) spill?.finish(false)
    if (!isStarted) return null
    if (fault !== null) throw fault
    const spilled = spill?.finish(readers.some((reader) => isSpilled(reader, request))) ?? {}
    const rest = spilled.spilled === undefined ? '' : note
    const [out = EMPTY, err = EMPTY] = readers.map((reader) => reader.boundedText(rest))
    if (listenerFault !== null) throw (listenerFault as { readonly error: unknown }).error

    if (!report.isReady && end.stopped === null) throw sandboxNotStarted(request, end, err.text)
    return {
      ...settleExit(end.code, end.signal, report.namesSignal, system.signals),
      stdout: out.text,
      stderr: err.text,
      binary: {
        ...(out.binary === undefined ? {} : { stdout: out.binary }),
        ...(err.binary === undefined ? {} : { stderr: err.binary }),
      },
      stdoutBytes: readers[0]?.totalBytes() ?? 0,
      stderrBytes: readers[1]?.totalBytes() ?? 0,
      durationMs: Math.round(end.durationMs),
      isTimedOut: end.stopped === 'timeout',
      isCancelled: end.stopped === 'cancel',
      isAbsent: report.isAbsent,
      ...spilled,
      limitsHeld: findHeldLimits(request.limits, {
        hasCgroup: start.hasCgroup,
        isNamespaced: launch.isNamespaced,
        isRoot,
        lost: report.lostLimits,
      }),
      refused: [...end.refused, ...late],
      hasSurvivors: end.hasSurvivors,
    }
  } finally {
    hooks.signal?.removeEventListener('abort', cancel)
    spawner.unsubscribe(id)
  }
}

/** There is no telling what the command has read, so neither the model nor the disk sees any of it. */
function movedMeanwhile(path: string, isOnLayer: boolean): ToolFailure {
  return failure(
    'execution_failed',
    `${showPath(path)} was renamed or created by another process while the command ran, so the command may have read hidden files. Its output ${isOnLayer ? 'and its changes are' : 'is'} dropped.`,
    { path: showPath(path), effects: isOnLayer ? 'discarded' : 'kept' },
    ['Run it again when nothing else renames folders or creates such files in the workspace.'],
  )
}

/** If the command does not start, its pipes have no reader that would close them. */
async function startOrClose(
  fds: readonly number[],
  start: () => Promise<StartedEvent | null>,
): Promise<StartedEvent | null> {
  let started: StartedEvent | null = null
  try {
    started = await start()
    return started
  } finally {
    if (started === null) for (const fd of fds) closeSync(fd)
  }
}

const EMPTY: BoundedText = { text: '', leftOutBytes: 0 }

function isSpilled(reader: OutputReader, { spillFromBytes = Infinity }: RunRequest): boolean {
  return reader.isCut() || reader.totalBytes() > spillFromBytes
}

function sendStart(
  { spawner, id, place, cgroupHome, request }: CommandRun,
  launch: Launch,
  mark: string,
  pipes: Readonly<Record<StreamName, number>>,
): void {
  spawner.send({
    is: 'start',
    id,
    ...describeLaunch(launch, mark),
    ...pipes,
    stdin: request.stdin,
    folder: place,
    timeoutMs: request.timeoutMs,
    graceMs: request.graceMs,
    cgroup: cgroupHome === null ? null : planCgroup(cgroupHome, `${process.pid}-${id}`, request.limits),
  })
}

/** Receives the events of a command from the spawner; it starts with null if the workspace is not as it was looked at. */
function follow(
  { spawner, id, request }: CommandRun,
  mark: string,
): { readonly started: Promise<StartedEvent | null>; readonly ended: Promise<EndedEvent> } {
  const started = Promise.withResolvers<StartedEvent | null>()
  const ended = Promise.withResolvers<EndedEvent>()
  // A failure is reported through the start; the end may not be awaited yet.
  ended.promise.catch(() => {})
  let pid: number | null = null
  const fail = (error: ToolFailure): void => {
    started.reject(error)
    ended.reject(error)
  }
  spawner.subscribe(id, (event) => {
    if (event === null) {
      const crash = failure(
        'crashed',
        'The process that starts commands ended unexpectedly, and the command with it.',
      )
      const known = pid
      // In a namespace the kernel has killed the processes already.
      if (known === null) fail(crash)
      else void killUntilGone(() => findMembers(known, mark, 0)).then(() => fail(crash))
    } else if (event.is === 'started') {
      pid = event.pid
      started.resolve(event)
    } else if (event.is === 'changed') started.resolve(null)
    else if (event.is === 'unstarted') fail(explainUnstarted(event.code, event.message, request))
    else if (event.is === 'ended') ended.resolve(event)
  })
  return { started: started.promise, ended: ended.promise }
}

function sandboxNotStarted({ confinement }: RunRequest, end: EndedEvent, said: string): ToolFailure {
  const cause = said.trim().slice(-MAX_SHOWN_CHARS)
  const exit = end.code === null ? `signal ${end.signal}` : `exit code ${end.code}`
  return failure(
    'execution_failed',
    `The sandbox (${confinement.level}) did not start, so the command did not run: ${exit}, ${cause}`,
    { rung: confinement.level, exit_code: end.code, stderr: cause },
    ['Run `tongs doctor` to check the sandbox.'],
  )
}

/** Explains why the system could not start a process. */
function explainUnstarted(code: string, message: string, request: RunRequest): ToolFailure {
  const { cwd } = request
  if (code === 'E2BIG')
    return failure(
      'bad_args',
      'The command and its environment variables are too long for the system.',
      { code },
      ['Write the long part to a file and pass the file instead.'],
    )
  if ((code === 'ENOENT' || code === 'ENOTDIR') && !existsSync(cwd))
    return failure('execution_failed', `The folder ${cwd} does not exist.`, { code, cwd }, [
      'Name a folder that exists.',
    ])
  if (code === 'EAGAIN' || code === 'ENOMEM' || code === 'EMFILE')
    return failure('resource_exhausted', `The system cannot start another process: ${message}.`, { code }, [
      'Try again when fewer programs are running.',
    ])
  return failure('execution_failed', `Cannot start the command: ${message}.`, { code }, [
    'Run `tongs doctor` to check the sandbox.',
  ])
}
