import type { Buffer } from 'node:buffer'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { RipgrepOutput } from './ripgrep-output.ts'
import type { RipgrepReader } from './ripgrep-output.ts'
import { errnoOf } from '../fs/errno.ts'
import { platform } from '../system/platform.ts'

/**
 * How a search ended: by itself, with an exit code or the name of a signal; because the reader had enough; because a
 * file was met that is too large; because it waits for a pipe that lies in the place of an ignore file; or not at all,
 * because the program cannot be started.
 */
export type RipgrepEnd =
  | { readonly is: 'done'; readonly end: number | string; readonly stderr: string }
  | { readonly is: 'stopped' | 'too_large' | 'stuck' | 'unavailable' }

/** One run of the search program. */
export interface RipgrepRun {
  readonly program: string
  readonly args: readonly string[]
  /** Where it runs. */
  readonly folder: string
  readonly reader: RipgrepReader
  readonly signal: AbortSignal
  /** It is stopped when it reads a larger file for any length of time; null where it looks at sizes itself. */
  readonly maxFileBytes: number | null
}

/** What is printed beyond this about errors is of no use to anybody. */
const MAX_STDERR_BYTES = 16_384
/** Reading a file of some size takes longer than this, and memory cannot grow far in that time. */
const POLL_MS = 40

/** It never reads from a pipe of ours, so one that is found waiting twice in a row will wait for ever. */
const STUCK_POLLS = 2

/** Where the search program is, or null if the package for this system is not installed. */
export async function findRipgrep(): Promise<string | null> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    return rgPath
  } catch {
    return null
  }
}

/** Runs the search program. It is killed as soon as the reader has enough, or when the signal says so. */
export function runRipgrep({
  program,
  args,
  folder,
  reader,
  signal,
  maxFileBytes,
}: RipgrepRun): Promise<RipgrepEnd> {
  const output = new RipgrepOutput(reader)
  // Nothing of our environment concerns it: not its configuration, not somebody's home.
  const child = spawn(program, args, {
    cwd: folder,
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
    windowsHide: true,
  })
  return new Promise((resolve, reject) => {
    let stderr = ''
    let end: number | string = 'unknown'
    const kill = (): void => {
      child.kill('SIGKILL')
      child.stdout.destroy()
    }
    const settle = (finish: () => void): void => {
      clearInterval(watch)
      signal.removeEventListener('abort', onAbort)
      finish()
    }
    const stop = (finish: () => void): void => {
      kill()
      settle(finish)
    }
    const onAbort = (): void => stop(() => reject(signal.reason))
    let pipePolls = 0
    const watch = setInterval(() => {
      pipePolls = waitsForPipe(child.pid ?? 0) ? pipePolls + 1 : 0
      if (pipePolls >= STUCK_POLLS) return stop(() => resolve({ is: 'stuck' }))
      const isTooLarge = maxFileBytes !== null && readsLargerThan(child.pid ?? 0, maxFileBytes)
      if (isTooLarge) stop(() => resolve({ is: 'too_large' }))
    }, POLL_MS)
    signal.addEventListener('abort', onAbort, { once: true })
    child.stdout.on('data', (chunk: Buffer) => {
      try {
        if (!output.push(chunk)) stop(() => resolve({ is: 'stopped' }))
      } catch (thrown) {
        stop(() => reject(thrown))
      }
    })
    child.stderr.setEncoding('utf8')
    child.stderr.on('data', (text: string) => {
      if (stderr.length < MAX_STDERR_BYTES) stderr += text
    })
    child.on('error', () => settle(() => resolve({ is: 'unavailable' })))
    child.on('exit', (code, killer) => {
      end = code ?? killer ?? end
    })
    child.on('close', () => settle(() => resolve({ is: 'done', end, stderr })))
    if (signal.aborted) onAbort()
  })
}

/** Whether one can see here what other processes have open. */
export const canSeeOpenFiles: boolean = platform === 'linux'

/** Whether a process of ours has a file open that is larger than this, or hides what it has open. */
function readsLargerThan(pid: number, bytes: number): boolean {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((name) => {
      const stats = statSync(`${folder}/${name}`, { throwIfNoEntry: false })
      return stats?.isFile() === true && stats.size > bytes
    })
  } catch (error) {
    // A process that is just ending has nothing open any more.
    return !['ENOENT', 'ESRCH'].includes(errnoOf(error) ?? '')
  }
}

/** Where the kernel keeps a thread that waits for the other end of a pipe. */
const PIPE_WAITS = new Set(['wait_for_partner', 'fifo_open', 'pipe_read', 'anon_pipe_read'])

/** Whether a thread of a process of ours waits to read from a pipe; false where that cannot be seen. */
function waitsForPipe(pid: number): boolean {
  const folder = `/proc/${pid}/task`
  try {
    return readdirSync(folder).some((thread) =>
      PIPE_WAITS.has(readFileSync(`${folder}/${thread}/wchan`, 'latin1').trim()),
    )
  } catch {
    return false
  }
}
