import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findTrustedProgram } from '../confine/trusted-program.ts'
import { askingVariables } from './own-variables.ts'

const GIT = ['/usr/bin/git', '/bin/git', '/usr/local/bin/git', '/opt/homebrew/bin/git']

let program: string | null | undefined

/** The git that only root can have installed, or null. */
export function findGit(): string | null {
  program ??= findTrustedProgram(GIT)
  return program
}

/** Names and settings need little, and a pack of some kilobytes can say that it has gigabytes of them. */
const MOST_MEMORY_BYTES = 1024 ** 3
export const MEMORY_WORDS = 'git needed more than 1 GiB of memory'
const OUT_OF_MEMORY = /out of memory|cannot allocate memory/i

/**
 * How git is started by Tongs itself: with a limit for its memory. Packs and indexes that it maps to read them do not
 * count. Where the system has no such limit, it runs without.
 */
export function limitGit(git: string, args: readonly string[]): readonly [string, string[]] {
  if (!existsSync(SHELL)) return [git, [...args]]
  const line = `ulimit -d ${MOST_MEMORY_BYTES / 1024} 2>/dev/null; exec "$0" "$@"`
  return [SHELL, ['-c', line, git, ...args]]
}

const SHELL = '/bin/sh'

/** Whether git ended because of that limit, by its own words. */
export function isOutOfMemory(stderr: string): boolean {
  return OUT_OF_MEMORY.test(stderr)
}

/** Reading configuration takes milliseconds, unless the machine is overloaded. */
const TIMEOUT_MS = 10_000
const MAX_BYTES = 4 * 1024 ** 2

/** What git answered, or why it did not. */
export type GitAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string }

/**
 * Asks git about its configuration as the user's own git would see it. This runs nothing that the configuration names.
 * It waits for the answer: the paths that depend on it are judged before anything else happens.
 */
export function askGit(args: readonly string[], home: string, git: string | null = findGit()): GitAnswer {
  if (git === null) return { ok: false, why: 'git is not installed, or users other than root can change it' }
  const { error, status, stdout, stderr } = spawnSync(...limitGit(git, args), {
    cwd: '/',
    env: { ...askingVariables(), PATH: '/usr/bin:/bin', HOME: home, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_BYTES,
    encoding: 'utf8',
  })
  if (error !== undefined) return { ok: false, why: describeFault(error) }
  if (status !== 0 && isOutOfMemory(stderr)) return { ok: false, why: MEMORY_WORDS }
  if (status !== 0) return { ok: false, why: stderr.trim().slice(0, 300) || `git ended with ${status}` }
  return { ok: true, text: stdout }
}

function describeFault(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ETIMEDOUT') return `git did not answer within ${TIMEOUT_MS / 1000} s`
  if (code === 'ENOBUFS') return `git's configuration has more than ${MAX_BYTES} bytes`
  return error.message
}
