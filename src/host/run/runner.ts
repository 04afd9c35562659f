import { failure } from '../../core/error.ts'
import { findPrivateFolder } from '../fs/private-folder.ts'
import { platform } from '../system/platform.ts'
import { findCgroupHome } from './cgroup.ts'
import { executeCommand } from './execute-command.ts'
import type { RunEnd, RunHooks, RunRequest } from './run-request.ts'
import { openSpawner } from './spawner.ts'
import type { Spawner } from './spawner.ts'

/** Runs commands, each in the confinement of its request. */
export interface Runner {
  /** Settles when no process of the command is left; rejects with a ToolFailure if it could not be started. */
  readonly run: (request: RunRequest, hooks?: RunHooks) => Promise<RunEnd>
  /** Starts the spawner now, while this process is small, so that no later command has to wait for it. */
  readonly warm: () => void
  /** Ends the spawner and every command that is still running. */
  readonly close: () => Promise<void>
}

/** What a runner may use. */
export interface RunnerOptions {
  /** The folder for control groups; searched for if left out, null for none. */
  readonly cgroupHome?: string | null
  /** A folder that no command can reach; one is chosen if left out. */
  readonly place?: string
}

/** Creates a runner. Its spawner starts with the first command, or by `warm`. */
export function createRunner(options: RunnerOptions = {}): Runner {
  const cgroupHome = options.cgroupHome === undefined ? findCgroupHome() : options.cgroupHome
  const place = options.place ?? findPrivateFolder('memory', [])
  let spawner: Spawner | null = null
  let count = 0
  const warm = (): Spawner => {
    if (spawner === null || spawner.isGone()) spawner = openSpawner(place)
    return spawner
  }
  return {
    warm: () => void warm(),
    close: async () => {
      await spawner?.close()
    },
    run: async (request, hooks = {}) => {
      if (platform === 'windows')
        throw failure('not_allowed', 'Commands cannot be run on Windows yet.', {}, ['Use Linux or macOS.'])
      checkArguments(request)
      if (hooks.signal?.aborted === true) return NEVER_STARTED
      return executeCommand({ spawner: warm(), place, cgroupHome, request, hooks }, () => ++count)
    },
  }
}

/** The end of a command that was cancelled before it began. */
const NEVER_STARTED: RunEnd = {
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  binary: {},
  stdoutBytes: 0,
  stderrBytes: 0,
  durationMs: 0,
  isTimedOut: false,
  isCancelled: true,
  isAbsent: false,
  limitsHeld: {},
  refused: [],
  hasSurvivors: false,
}

function checkArguments({ argv, cwd, env }: RunRequest): void {
  if (argv.length === 0 || argv[0] === '')
    throw failure('bad_args', 'No program was given.', {}, ['Give a program, then its arguments.'])
  const texts = [...argv, cwd, ...Object.entries(env).flat()]
  if (texts.some((text) => text.includes('\0')))
    throw failure('bad_args', 'A command, its folder and its variables cannot contain a NUL character.', {}, [
      'Remove it.',
    ])
}
