import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import type { Duplex, Readable } from 'node:stream'
import { LONGEST_TIMER_MS } from '../../core/clock.ts'
import { FIRST_INPUT_FD, REPORT_FD } from '../confine/confinement.ts'
import { guardGit } from '../confine/git-guard.ts'
import { openPlace } from '../confine/held/held-place.ts'
import { answerListing } from '../confine/listing-check.ts'
import { openNamelessFile } from '../fs/nameless-file.ts'
import { CHANGED } from '../layer/enter/layer-script.ts'
import { startOnMounts } from '../layer/enter/mount-here.ts'
import { endCgroup, enterCgroup, makeCgroup } from './cgroup.ts'
import {
  findDescendants,
  findMembers,
  isAlive,
  killSandbox,
  killUntilGone,
  signalProcess,
  startOf,
} from './process-tree.ts'
import { openNamespaceNote } from './namespace-note.ts'
import type { NamespaceNote } from './namespace-note.ts'
import { pauseAndPoll } from './output-reader.ts'
import type { EndedEvent, SpawnerEvent, SpawnInput, StartRequest, StopCause } from './spawner-messages.ts'

/** How long a kill may take before the command counts as ended anyway. */
const KILL_MS = 1_000
/** How often the report is looked for after the end; a process that inherited the pipe may keep it open forever. */
const REPORT_POLLS = 5
/** Our own script writes less, but a command could find the pipe and fill it. */
const MAX_REPORT_CHARS = 4_096

/** A command that the spawner has started. */
export interface RunningCommand {
  /** Sends SIGTERM to all of its processes, and kills those that are left after the grace period. */
  readonly stop: (cause: StopCause) => void
  /** Kills all of its processes now. */
  readonly kill: () => void
  readonly ended: Promise<void>
}

/** Starts a command and emits its events; null if it could not be started, for which an event is emitted too. */
export function startCommand(
  request: StartRequest,
  takePipe: (number: number) => number,
  emit: (event: SpawnerEvent) => void,
): RunningCommand | null {
  const { id, isNamespaced, mark } = request
  const cgroup = request.cgroup !== null && makeCgroup(request.cgroup) ? request.cgroup : null
  const startedMs = performance.now()
  let start: StartedChild | typeof CHANGED
  try {
    start = spawnWithPipes(request, takePipe, (argv) => (cgroup === null ? argv : enterCgroup(cgroup, argv)))
  } catch (error) {
    emit(unstarted(id, error))
    return null
  }
  if (start === CHANGED) {
    if (cgroup !== null) void endCgroup(cgroup)
    emit({ is: 'changed', id })
    return null
  }
  const { child, unused, namespace } = start
  const { pid } = child
  if (pid === undefined) {
    namespace.close()
    child.once('error', (error) => emit(unstarted(id, error)))
    return null
  }
  emit({ is: 'started', id, pid, hasCgroup: cgroup !== null })
  for (const [at, input] of request.inputs.entries())
    if ('listing' in input && at >= unused)
      answerListing(child.stdio[FIRST_INPUT_FD + at] as Duplex, input.listing)

  const report = readAll(child.stdio[REPORT_FD] as Readable)
  const { initPid } = namespace
  let stopped: StopCause | null = null
  let graceTimer: NodeJS.Timeout | null = null
  let isKilled = false
  const givenUp = Promise.withResolvers<Pick<EndedEvent, 'code' | 'signal'>>()
  const startedAt = startOf(pid)
  const members = (): readonly number[] => findMembers(pid, mark, startedAt)
  const kill = (): void => {
    isKilled = true
    if (isNamespaced) killSandbox(pid, initPid())
    else for (const one of [...members(), -pid, pid]) signalProcess(one, 'SIGKILL')
    setTimeout(() => givenUp.resolve({ code: null, signal: null }), KILL_MS).unref()
  }
  const stop = (cause: StopCause): void => {
    if (stopped !== null) return
    stopped = cause
    if (cause === 'guard') return kill()
    // The group is a fallback for systems where processes cannot be listed.
    for (const one of isNamespaced ? findDescendants(initPid() ?? pid) : [-pid, ...members()])
      signalProcess(one, 'SIGTERM')
    graceTimer = setTimeout(kill, request.graceMs)
  }
  const guard = request.guard === null ? null : guardGit(request.guard, () => stop('guard'))
  const timeoutTimer = setTimeout(() => stop('timeout'), Math.min(request.timeoutMs, LONGEST_TIMER_MS))

  const exited = new Promise<Pick<EndedEvent, 'code' | 'signal'>>((done) => {
    child.once('exit', (code, signal) => done({ code, signal }))
  })
  const finish = async (): Promise<void> => {
    const exit = withSignal(await Promise.race([exited, givenUp.promise]), isKilled)
    const durationMs = performance.now() - startedMs
    clearTimeout(timeoutTimer)
    if (graceTimer !== null) clearTimeout(graceTimer)
    const read = report.ended.then(() => true as const)
    // Not by the clock: while many commands start, the end of one may be known long before its report can be read.
    for (let poll = 0; poll < REPORT_POLLS; poll++) if (await Promise.race([read, pauseAndPoll()])) break
    const init = initPid()
    namespace.close()
    const findLeft = (): readonly number[] => (init !== null && isAlive(init) ? [init] : [])
    const isGone = await killUntilGone(isNamespaced ? findLeft : members)
    if (cgroup !== null) await endCgroup(cgroup)
    const refused = guard?.moveAside() ?? []
    guard?.close()
    const outcome = { durationMs, refused, hasSurvivors: !isGone, report: report.text(), stopped }
    emit({ is: 'ended', id, ...exit, ...outcome })
  }
  return { stop, kill, ended: finish() }
}

/** How the programs around a command say that it was killed, if they end before they are killed themselves. */
const KILLED_CODE = 137

/** The end of a command that was killed here is the same, whichever of its processes was gone first. */
function withSignal(
  exit: Pick<EndedEvent, 'code' | 'signal'>,
  isKilled: boolean,
): Pick<EndedEvent, 'code' | 'signal'> {
  return isKilled && exit.code === KILLED_CODE ? { code: null, signal: 'SIGKILL' } : exit
}

type StdioWay = 'ignore' | 'pipe' | number

interface StartedChild {
  readonly child: ChildProcess
  readonly namespace: NamespaceNote
  /** How many of the first inputs it was started without. */
  readonly unused: number
}

/** Opens the descriptors of the command, starts it, and closes them here. Nothing of it can be found by name. */
function spawnWithPipes(
  request: StartRequest,
  takePipe: (number: number) => number,
  wrap: (argv: readonly string[]) => readonly string[],
): StartedChild | typeof CHANGED {
  const { cwd, env, folder, inputs, mounted, stdin } = request
  const opened: number[] = []
  const keep = (fd: number): number => {
    opened.push(fd)
    return fd
  }
  let namespace: NamespaceNote | null = openNamespaceNote(folder)
  const note = namespace
  const started = (child: ChildProcess, unused: number): StartedChild => {
    namespace = null
    return { child, unused, namespace: note }
  }
  try {
    const stdout = keep(takePipe(request.stdout))
    const stderr = keep(takePipe(request.stderr))
    const given = stdin === null ? 'ignore' : keep(openNamelessFile(folder, stdin))
    let isChanged = false
    const open = (input: SpawnInput): StdioWay => {
      if ('listing' in input) return 'pipe'
      if ('real' in input) {
        const place = openPlace(input)
        isChanged ||= place === null
        return place === null ? 'ignore' : keep(place)
      }
      return keep(
        'path' in input
          ? openSync(input.path, constants.O_RDONLY)
          : openNamelessFile(folder, Buffer.from(input.base64, 'base64')),
      )
    }
    const needed = inputs.slice(mounted?.inputs ?? 0).map(open)
    if (isChanged) return CHANGED
    const start = (argv: readonly string[], first: readonly StdioWay[]): ChildProcess => {
      const [program = '', ...args] = wrap(argv)
      const stdio: StdioWay[] = [given, stdout, stderr, 'pipe', note.fd, ...first, ...needed]
      return spawn(program, args, { cwd, env, detached: true, stdio })
    }
    const unused = mounted?.inputs ?? 0
    if (mounted !== null) {
      // The numbers of the descriptors after them are part of the command line.
      const none = Array.from({ length: unused }, () => 'ignore' as const)
      const child = startOnMounts(mounted.mounts, () => start(request.argv.slice(mounted.words), none))
      if (child === CHANGED) return CHANGED
      if (child !== null) return started(child, unused)
    }
    return started(start(request.argv, inputs.slice(0, unused).map(open)), 0)
  } finally {
    namespace?.close()
    for (const fd of opened) closeSync(fd)
  }
}

interface ReadText {
  readonly text: () => string
  readonly ended: Promise<void>
}

function readAll(stream: Readable): ReadText {
  let text = ''
  stream.setEncoding('utf8')
  stream.on('data', (piece: string) => {
    if (text.length < MAX_REPORT_CHARS) text += piece
  })
  const ended = new Promise<void>((done) => {
    stream.once('close', () => done())
    stream.once('error', () => done())
  })
  return { text: () => text, ended }
}

function unstarted(id: number, error: unknown): SpawnerEvent {
  const { code = 'unknown', message } = error as NodeJS.ErrnoException
  return { is: 'unstarted', id, code, message }
}
