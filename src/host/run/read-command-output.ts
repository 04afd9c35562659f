import { spawn } from 'node:child_process'
import { errnoOf } from '../fs/errno.ts'
import { findDescendants, signalProcess } from './process-tree.ts'

/** A program of the user's own whose output is wanted. */
export interface OutputRequest {
  readonly argv: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly signal?: AbortSignal
}

/** How it ended; why it failed never quotes anything that it printed. */
export type OutputEnd =
  | { readonly ok: true; readonly stdout: string }
  | { readonly ok: false; readonly why: string }

/** Runs a program without a shell and returns what it printed. It gets no input, and what it says besides is dropped. */
export function readCommandOutput(request: OutputRequest): Promise<OutputEnd> {
  const { argv, cwd, env, timeoutMs, maxBytes, signal } = request
  const [program = '', ...args] = argv
  return new Promise((done) => {
    const child = spawn(program, args, { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'ignore'] })
    let stopped: string | null = null
    let stdout = ''
    const stop = (why: string): void => {
      stopped ??= why
      for (const pid of child.pid === undefined ? [] : [...findDescendants(child.pid), child.pid])
        signalProcess(pid, 'SIGKILL')
      // What it started may have left its tree and still hold the pipe.
      child.stdout.destroy()
    }
    const onAbort = (): void => stop('was cancelled')
    const timer = setTimeout(() => stop(`did not end within ${timeoutMs / 1000} s`), timeoutMs)
    signal?.addEventListener('abort', onAbort, { once: true })
    if (signal?.aborted === true) onAbort()
    const end = (result: OutputEnd): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      done(stopped === null ? result : { ok: false, why: stopped })
    }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      if (stdout.length > maxBytes) stop('printed too much')
    })
    child.once('error', (error) =>
      end({
        ok: false,
        why: errnoOf(error) === 'ENOENT' ? 'was not found' : `cannot be started (${errnoOf(error)})`,
      }),
    )
    child.once('close', (code, killed) =>
      end(
        code === 0
          ? { ok: true, stdout }
          : { ok: false, why: code === null ? `was ended by ${killed ?? 'a signal'}` : `ended with ${code}` },
      ),
    )
  })
}
