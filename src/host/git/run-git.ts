import { execFile } from 'node:child_process'
import { dirname, join } from 'node:path'
import { lstatSync } from 'node:fs'
import { homeFolder } from '../fs/folders.ts'
import { findGit, isOutOfMemory, limitGit, MEMORY_WORDS } from './ask-git.ts'
import { repositoryAt } from './find-repositories.ts'
import { findEndlessFile } from './read-configuration.ts'
import { findForeignRepository } from './worktree/own-repository.ts'

/** Enough for the names of all files in a large repository; beyond that, git is asked path by path. */
const MAX_BYTES = 16 * 1024 ** 2

/** How a git command ended. */
export type GitEnd =
  | { readonly ok: true; readonly stdout: string }
  | {
      readonly ok: false
      readonly why: string
      /** Whether it could have answered with more time or memory. */
      readonly isGivenUp?: true
    }

/** Disables everything that a repository's configuration could run: hooks, monitors, pagers, helpers and remotes. */
const OVERRIDES = [
  'core.fsmonitor=false',
  'core.hooksPath=/dev/null',
  'core.pager=cat',
  'core.sshCommand=false',
  'core.askPass=',
  'credential.helper=',
  'protocol.allow=never',
  'diff.external=',
  'gc.auto=0',
  'maintenance.auto=false',
  'core.untrackedCache=false',
]

/** A repository to run git in, and how long a command may take there. */
export interface GitRepository {
  readonly folder: string
  readonly timeoutMs: number
  /** Settings that hold instead of the repository's, by name. */
  readonly instead?: readonly (readonly [string, string])[]
}

/** Runs git in a repository, with a clean environment and no configuration but the repository's. */
export function runGit(
  { folder, timeoutMs, instead = [] }: GitRepository,
  args: readonly string[],
  stdin = '',
): Promise<GitEnd> {
  const program = findGit()
  if (program === null) return Promise.resolve({ ok: false, why: 'git is not installed' })
  const home = homeFolder(process.env)
  const foreign = findForeignRepository(folder, home)
  if (foreign !== null) return Promise.resolve({ ok: false, why: foreign })
  const repository = repositoryAt(folder)
  const endless = repository === null ? null : findEndlessFile(repository, home)
  if (endless !== null) return Promise.resolve({ ok: false, why: `${endless} is not a regular file` })
  const words = [
    ...OVERRIDES.flatMap((setting) => ['-c', setting]),
    '--no-pager',
    '--literal-pathspecs',
    ...args,
  ]
  const options = {
    cwd: folder,
    env: { ...environment(folder), ...settingVariables(instead) },
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
    maxBuffer: MAX_BYTES,
    encoding: 'utf8',
  } as const
  return new Promise((resolve) => {
    try {
      const child = execFile(...limitGit(program, words), options, (error, stdout, stderr) => {
        if (error === null) resolve({ ok: true, stdout })
        else if (error.killed === true)
          resolve({
            ok: false,
            why: `git took more than ${timeoutMs / 1000} s (tools.git.timeout_seconds)`,
            isGivenUp: true,
          })
        else if (isOutOfMemory(stderr)) resolve({ ok: false, why: MEMORY_WORDS, isGivenUp: true })
        else resolve({ ok: false, why: stderr.trim() === '' ? error.message : stderr.trim().slice(0, 500) })
      })
      child.stdin?.on('error', () => undefined)
      child.stdin?.end(stdin)
    } catch (thrown) {
      resolve({ ok: false, why: thrown instanceof Error ? thrown.message : 'it could not be started' })
    }
  })
}

function environment(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: '/usr/bin:/bin',
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CEILING_DIRECTORIES: dirname(folder),
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
  }
}

/** Settings as variables: unlike on a command line, a name may hold any character there. */
function settingVariables(settings: readonly (readonly [string, string])[]): NodeJS.ProcessEnv {
  const pairs = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${at}`, name],
    [`GIT_CONFIG_VALUE_${at}`, value],
  ])
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) }
}

/** The nearest repository folder above a file, no higher than the root; null if there is none. */
export function findRepository(file: string, root: string): string | null {
  for (let at = dirname(file); at === root || at.startsWith(`${root}/`); at = dirname(at)) {
    if (mayBeThere(join(at, '.git'))) return at
    if (at === dirname(at)) return null
  }
  return null
}

/** What cannot be looked at may be there: git itself then says what is wrong with it. */
function mayBeThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

/** Changes when something is staged or committed; null if these files cannot show that. */
export function repositoryVersion(folder: string): string | null {
  const git = join(folder, '.git')
  try {
    if (lstatSync(git, { throwIfNoEntry: false })?.isDirectory() !== true) return null
    return ['HEAD', 'index', 'logs/HEAD']
      .map((name) => {
        const found = lstatSync(join(git, name), { bigint: true, throwIfNoEntry: false })
        return found === undefined ? '-' : `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`
      })
      .join('\n')
  } catch {
    return null
  }
}
