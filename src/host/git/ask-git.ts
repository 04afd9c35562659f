import { spawnSync } from 'node:child_process'
import { findTrustedProgram } from '../confine/trusted-program.ts'
import { askingVariables } from './own-variables.ts'

const GIT = ['/usr/bin/git', '/bin/git', '/usr/local/bin/git', '/opt/homebrew/bin/git']

let program: string | null | undefined

/** The git that only root can have installed, or null. */
export function findGit(): string | null {
  program ??= findTrustedProgram(GIT)
  return program
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
  const { error, status, stdout, stderr } = spawnSync(git, args, {
    cwd: '/',
    env: { ...askingVariables(), PATH: '/usr/bin:/bin', HOME: home, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_BYTES,
    encoding: 'utf8',
  })
  if (error !== undefined) return { ok: false, why: describeFault(error) }
  if (status !== 0) return { ok: false, why: stderr.trim().slice(0, 300) || `git ended with ${status}` }
  return { ok: true, text: stdout }
}

function describeFault(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ETIMEDOUT') return `git did not answer within ${TIMEOUT_MS / 1000} s`
  if (code === 'ENOBUFS') return `git's configuration has more than ${MAX_BYTES} bytes`
  return error.message
}
