import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { failure } from '../../core/error.ts'
import { waitFor } from '../../core/wait.ts'
import { REPORT_FD } from '../confine/confinement.ts'
import type { Confinement, Launch, MovedAside } from '../confine/confinement.ts'
import { openPlace } from '../confine/held/held-place.ts'
import { grantChanged } from '../confine/held/refusals.ts'
import { guardGit } from '../confine/git-guard.ts'
import { openNamelessFile } from '../fs/nameless-file.ts'
import { openNamespaceNote } from '../run/namespace-note.ts'
import type { NamespaceNote } from '../run/namespace-note.ts'
import {
  findMembers,
  isAlive,
  killSandbox,
  killUntilGone,
  signalProcess,
  startOf,
} from '../run/process-tree.ts'
import { endCgroup, enterCgroup, makeCgroup, planCgroup } from '../run/cgroup.ts'
import type { RunLimits } from '../run/run-request.ts'
import type { CgroupPlan } from '../run/spawner-messages.ts'
import { readScriptReport, wrapCommand } from '../run/wrap-command.ts'
import { openStderrFile } from './stderr-file.ts'

/** A program that is talked to while it runs, and where its files go. */
export interface ServerStart {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly confinement: Confinement
  readonly limits: RunLimits
  /** Where a control group for it can be made; null if nowhere. */
  readonly cgroupHome: string | null
  /** A folder that no sandboxed process can reach. */
  readonly place: string
  readonly stderrPath: string
}

/** A running program with open pipes. */
export interface ServerProcess {
  /** Resolves when the text was taken; rejects if the program is gone. */
  readonly write: (text: string) => Promise<void>
  readonly onOutput: (take: (chunk: Uint8Array) => void) => void
  /** Resolves with how it ended, in words, when no process of it is left. */
  readonly ended: Promise<string>
  /** Ends it if it has made a git repository where it writes. Resolves when that is settled. */
  readonly endIfItMadeGit: () => Promise<void>
  /** Kills all of its processes, and resolves when they are gone. */
  readonly close: () => Promise<void>
}

/** The time after its input was closed in which a well-behaved server ends by itself. */
const LEAVE_MS = 300
const SHOWN_STDERR_CHARS = 400
const MOST_REFUSED = 3
const MOST_REPORT_CHARS = 4_096
const MARK_NAME = 'TONGS_SERVER'
const GROUP_CHARS = 8

/** Starts a program in its confinement, in a process group of its own. */
export function startServer(start: ServerStart): ServerProcess {
  const { confinement } = start
  const isRoot = process.geteuid?.() === 0
  const launch = confinement.launch({
    argv: wrapCommand(start.argv, start.limits, confinement.level === 'bwrap' && !isRoot),
    cwd: start.cwd,
    env: start.env,
  })
  const mark = randomBytes(16).toString('hex')
  const cgroup = openCgroup(start, mark)
  const argv = cgroup === null ? launch.argv : enterCgroup(cgroup, launch.argv)
  const namespace = openNamespaceNote(start.place)
  const child = spawnLaunch({ ...launch, argv }, mark, start.place, namespace)
  const stderr = openStderrFile(start.stderrPath)
  child.stderr?.on('data', stderr.take)
  // A server that is gone must not end this process by an error that nothing handles.
  child.stdin?.on('error', () => undefined)
  child.stdout?.on('error', () => undefined)
  const report = collect(child.stdio[REPORT_FD])
  const pid = child.pid ?? 0
  const startedAt = pid === 0 ? 0 : startOf(pid)
  const { initPid } = namespace

  const kill = (): void => {
    if (pid === 0) return
    if (launch.isNamespaced) return killSandbox(pid, initPid())
    for (const one of [...findMembers(pid, mark, startedAt), -pid, pid]) signalProcess(one, 'SIGKILL')
  }
  const guard = launch.guard === null ? null : guardGit(launch.guard, kill)
  // When this process ends without closing, at least the sandbox ends with it; this is for the other levels.
  process.once('exit', kill)

  const exited = new Promise<string>((done) => {
    child.once('error', (error) => done(`it could not be started: ${error.message}`))
    child.once('exit', (code, signal) =>
      done(signal === null ? `it ended with exit code ${code ?? 0}` : `it was ended by ${signal}`),
    )
  })
  const finish = async (): Promise<string> => {
    const how = await exited
    process.off('exit', kill)
    const init = initPid()
    namespace.close()
    const left = (): readonly number[] => (init !== null && isAlive(init) ? [init] : [])
    if (pid !== 0) await killUntilGone(launch.isNamespaced ? left : () => findMembers(pid, mark, startedAt))
    if (cgroup !== null) await endCgroup(cgroup)
    const refused = [...(guard?.moveAside() ?? []), ...(launch.newGit?.moveAside() ?? [])]
    guard?.close()
    for (const stream of child.stdio) stream?.destroy()
    stderr.close()
    const { isAbsent, isChanged } = readScriptReport(report())
    if (isChanged) return 'what it is granted was replaced while its sandbox was set up'
    if (isAbsent) return `its program ${start.argv[0] ?? ''} was not found in the sandbox`
    const last = stderr.tail(SHOWN_STDERR_CHARS).trim()
    const why = refused.slice(0, MOST_REFUSED).map(sayRefused).join(' ')
    return [how, why, last].filter((part) => part !== '').join('; ')
  }
  const ended = finish()
  return {
    write: (text) =>
      new Promise((done, fail) => {
        if (child.stdin === null || child.stdin.destroyed || !child.stdin.writable)
          fail(new Error('the server has ended'))
        else child.stdin.write(text, (error) => (error instanceof Error ? fail(error) : done()))
      }),
    onOutput: (take) => void child.stdout?.on('data', take),
    ended,
    async endIfItMadeGit() {
      if (launch.newGit?.isThere() !== true) return
      kill()
      await ended
    },
    async close() {
      child.stdin?.end()
      await Promise.race([exited, waitFor(LEAVE_MS)])
      kill()
      await ended
    },
  }
}

function sayRefused({ path, movedTo, why, isPutBack }: MovedAside): string {
  if (isPutBack === true) return `${why} It removed ${path}, which is back in its place.`
  if (isPutBack === false) return `${why} It removed ${path}: make it again before git is used.`
  return movedTo === null ? `${why} ${path} is still there: remove it.` : `${why} It was moved to ${movedTo}.`
}

/** The group that limits all processes of the server together; null if there can be none. */
function openCgroup({ cgroupHome, limits }: ServerStart, mark: string): CgroupPlan | null {
  const plan =
    cgroupHome === null
      ? null
      : planCgroup(cgroupHome, `${process.pid}-server-${mark.slice(0, GROUP_CHARS)}`, limits)
  return plan !== null && makeCgroup(plan) ? plan : null
}

/** Starts the process of a launch; nothing of its inputs can be found by name. */
function spawnLaunch(launch: Launch, mark: string, place: string, namespace: NamespaceNote): ChildProcess {
  const opened: number[] = []
  const keep = (fd: number): number => {
    opened.push(fd)
    return fd
  }
  try {
    const inputs = launch.inputs.map((input) => {
      if (typeof input === 'string') return keep(openSync(input, constants.O_RDONLY))
      if ('real' in input) {
        const held = openPlace(input)
        if (held === null) throw grantChanged(input.real)
        return keep(held)
      }
      if ('listing' in input) throw failure('not_allowed', 'A server does not run on a layer.')
      return keep(openNamelessFile(place, input))
    })
    const [program = '', ...args] = launch.argv
    return spawn(program, args, {
      cwd: launch.cwd,
      env: launch.isNamespaced ? launch.env : { ...launch.env, [MARK_NAME]: mark },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe', 'pipe', namespace.fd, ...inputs],
    })
  } catch (error) {
    namespace.close()
    throw error
  } finally {
    for (const fd of opened) closeSync(fd)
  }
}

function collect(stream: ChildProcess['stdio'][number] | undefined): () => string {
  let text = ''
  const readable = stream as Readable | null | undefined
  readable?.on('data', (chunk: Buffer) => {
    if (text.length < MOST_REPORT_CHARS) text += chunk.toString('utf8')
  })
  readable?.on('error', () => undefined)
  return () => text
}
