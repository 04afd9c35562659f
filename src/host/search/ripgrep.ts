import type { Buffer } from 'node:buffer'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import type { Stats } from 'node:fs'
import { RipgrepOutput } from './ripgrep-output.ts'
import type { RipgrepReader } from './ripgrep-output.ts'
import { errnoOf } from '../fs/errno.ts'
import { platform } from '../system/platform.ts'

/**
 * How a search ended: on its own, with an exit code or the name of a signal; because the reader had enough; because it
 * met a file that is too large; because it is stuck on an ignore file that is a pipe, a device or too large; or because
 * ripgrep cannot be started.
 */
export type RipgrepEnd =
  | { readonly is: 'done'; readonly end: number | string; readonly stderr: string }
  | { readonly is: 'stopped' | 'too_large' | 'stuck' | 'unavailable' }

/** One run of ripgrep. */
export interface RipgrepRun {
  readonly program: string
  readonly args: readonly string[]
  /** Where it runs. */
  readonly folder: string
  readonly reader: RipgrepReader
  readonly signal: AbortSignal
  /** It is stopped when it is seen reading a larger file. */
  readonly maxFileBytes: number
  /** Whether it passes over larger files by itself. */
  readonly checksSizes: boolean
  /** Files that it reads by itself, in every folder; it is stopped when it is seen reading a larger one. */
  readonly ignoreFiles: { readonly names: readonly string[]; readonly maxBytes: number }
}

/** Error output beyond this is dropped. */
const MAX_STDERR_BYTES = 16_384
/** Reading a large file takes longer than this, and memory cannot grow much in that time. */
const POLL_MS = 40

/** It has no pipe to read from, so if it is found waiting for one twice in a row, it will wait forever. */
const STUCK_POLLS = 2

/** The path of ripgrep, or null if the package for this system is not installed. */
export async function findRipgrep(): Promise<string | null> {
  try {
    const { rgPath } = await import('@vscode/ripgrep')
    return rgPath
  } catch {
    return null
  }
}

/** Runs ripgrep, and kills it as soon as the reader has enough or the signal aborts. */
export function runRipgrep({
  program,
  args,
  folder,
  reader,
  signal,
  maxFileBytes,
  checksSizes,
  ignoreFiles,
}: RipgrepRun): Promise<RipgrepEnd> {
  const output = new RipgrepOutput(reader)
  // An empty environment: no ripgrep configuration and no home folder.
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
      const open = openFilesOf(child.pid ?? 0)
      if (open?.some((file) => isHardToRead(file, ignoreFiles))) return stop(() => resolve({ is: 'stuck' }))
      const isTooLarge =
        open?.some(({ stats }) => stats.isFile() && stats.size > maxFileBytes) ?? !checksSizes
      // If it checks sizes itself, only an ignore file can be that large.
      if (isTooLarge) stop(() => resolve({ is: checksSizes ? 'stuck' : 'too_large' }))
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

/** Whether this system shows which files another process has open. */
export const canSeeOpenFiles: boolean = platform === 'linux'

interface ChildFile {
  readonly path: string
  readonly stats: Stats
}

/** The first descriptors are its input and its output. */
const FIRST_OPENED = 3

/** The files that a child process has opened; null if they cannot be read. */
function openFilesOf(pid: number): readonly ChildFile[] | null {
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).flatMap((name) => {
      const stats =
        Number(name) < FIRST_OPENED ? undefined : statSync(`${folder}/${name}`, { throwIfNoEntry: false })
      return stats === undefined ? [] : [{ path: readlinkSync(`${folder}/${name}`), stats }]
    })
  } catch (error) {
    // A process that is ending has no open files any more.
    return ['ENOENT', 'ESRCH'].includes(errnoOf(error) ?? '') ? [] : null
  }
}

/** Whether reading a file may take forever, or compiling its rules too long. */
function isHardToRead({ path, stats }: ChildFile, { names, maxBytes }: RipgrepRun['ignoreFiles']): boolean {
  if (stats.isCharacterDevice() || stats.isBlockDevice()) return true
  return stats.isFile() && stats.size > maxBytes && names.some((name) => path.endsWith(`/${name}`))
}

/** The kernel functions in which a thread waits for the other end of a pipe. */
const PIPE_WAITS = new Set(['wait_for_partner', 'fifo_open', 'pipe_read', 'anon_pipe_read'])

/** Whether a thread of a child process waits to read from a pipe; false if that cannot be seen. */
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
