import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readPlainFile } from '../fs/plain-file.ts'
import { askGit } from './ask-git.ts'
import { pathFrom } from './follow-named-path.ts'
import type { GitSetting } from './git-setting.ts'
import { filesOfUser, SYSTEM_FILES } from './own-variables.ts'

/** A repository whose configuration is read. */
export interface ConfiguredRepository {
  readonly gitFolder: string
  /** The folder with the shared configuration; that of the main work tree if this is a linked one. */
  readonly commonFolder: string
  /** The top of its work tree, if that is known; relative variables of the environment start there. */
  readonly folder?: string
}

/** All settings that hold or could hold in a repository, or why they cannot be known. */
export type GitSettings =
  | { readonly ok: true; readonly settings: readonly GitSetting[]; readonly files: readonly string[] }
  | { readonly ok: false; readonly why: string; readonly files: readonly string[] }

/** More files than any configuration has; each is read by a process of its own. */
const MAX_FILES = 64
const MAX_BYTES = 4 * 1024 ** 2
const LIST = ['--null', '--list', '--show-origin']
const NO_REPOSITORY = '/nonexistent/.git'
const ANY_INCLUDE = /^include(?:if\..*)?\.path$/s
/** What git reads of a repository before its configuration. */
const READ_FIRST = ['HEAD', 'commondir'] as const

/**
 * Reads the settings of a repository, the user and the system by asking git. Files whose condition for being included
 * does not hold now are read as well: a command can meet it, for example by changing the branch.
 */
export function readGitSettings(
  repository: ConfiguredRepository,
  home: string,
  git?: string | null,
): GitSettings {
  const own = configurationFiles(repository, home)
  const ask = (args: readonly string[]) => askGit(args, home, git)
  const odd =
    own.find((file) => isOdd(file)) ??
    READ_FIRST.map((name) => join(repository.gitFolder, name)).find(isEndless)
  if (odd !== undefined) return judgeUnasked(own, `${odd} is not a small regular file`)
  // What a repository includes is read file by file: git would wait for a pipe that is among it.
  const asked = mayInclude(repository) ? NO_REPOSITORY : repository.gitFolder
  const listed = ask([`--git-dir=${asked}`, 'config', '--includes', ...LIST])
  if (!listed.ok) return judgeUnasked(own, listed.why)
  const settings = [...parseSettings(listed.text)]
  const seen = new Set(settings.flatMap(({ file }) => file ?? []))
  const files = new Set([...own, ...seen])
  // Git passes over the configuration of a folder that is not a complete repository yet; a command could complete it.
  const waiting = own.filter((file) => !seen.has(file))
  const follow = (found: readonly GitSetting[]): void => {
    for (const { key, value, file } of found) {
      if (!ANY_INCLUDE.test(key)) continue
      const path = expandPath(value, home, git)
      if (path !== null) waiting.push(pathFrom(file === null ? '/' : dirname(file), path))
    }
  }
  follow(settings)
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    files.add(file)
    if (isEndless(file)) return judgeUnasked([...files], `${file} is not a regular file`)
    if (!isFile(file)) continue
    if (seen.size > MAX_FILES)
      return {
        ok: false,
        why: `git's configuration includes more than ${MAX_FILES} files`,
        files: [...files],
      }
    const answer = ask(['config', '--file', file, '--no-includes', ...LIST])
    if (!answer.ok) return judgeUnasked([...files], answer.why)
    const found = parseSettings(answer.text)
    settings.push(...found)
    follow(found)
  }
  return { ok: true, settings, files: [...files] }
}

/** Whether the configuration of a repository includes other files; neither quotes nor continued lines hide a section. */
function mayInclude({ gitFolder, commonFolder }: ConfiguredRepository): boolean {
  return [join(commonFolder, 'config'), join(gitFolder, 'config.worktree')].some((file) => {
    const found = readPlainFile(file, 'own', MAX_BYTES)
    return found.is === 'read' && /\[\s*include/i.test(found.bytes.toString('latin1'))
  })
}

/** Whether something else than a configuration file is in its place; git would wait for it or read without end. */
function isOdd(path: string): boolean {
  try {
    const found = statSync(path)
    if (found.isFile()) return found.size > MAX_BYTES
    // Linking a configuration file to the null device is a usual way to have none.
    return !found.isCharacterDevice() || found.rdev !== statSync('/dev/null').rdev
  } catch {
    // Git passes over what is missing or cannot be reached by this user, or says why it stops.
    return false
  }
}

/** Whether git would wait for what is in the place of a file, or read it without end. */
export function isEndless(path: string): boolean {
  try {
    const found = statSync(path)
    return !found.isFile() && !found.isDirectory() && found.rdev !== statSync('/dev/null').rdev
  } catch {
    return false
  }
}

/** Whether a file is too large for us and could be configuration: git stops at the first byte that cannot begin one. */
function isLarge(path: string): boolean {
  try {
    const found = statSync(path)
    if (!found.isFile() || found.size <= MAX_BYTES) return false
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const head = Buffer.alloc(HEAD_BYTES)
      return /^(?:\u00EF\u00BB\u00BF)?\s*(?:[[#;]|$)/.test(head.toString('latin1', 0, readSync(fd, head)))
    } finally {
      closeSync(fd)
    }
  } catch {
    return false
  }
}

const HEAD_BYTES = 4_096

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Git's own form of a path value: `~`, the prefix of its installation, and optional paths. Null if git cannot expand it. */
export function expandPath(value: string, home: string, git?: string | null): string | null {
  const path = value.replace(/^:\(optional\)/, '')
  if (path === '') return null
  if (!path.startsWith('~') && !path.startsWith('%(prefix)')) return path
  const answer = askGit(
    ['-c', `tongs.path=${path}`, 'config', '--type=path', '--null', 'tongs.path'],
    home,
    git,
  )
  return answer.ok ? answer.text.replace(/\0$/, '') : null
}

/** The files that configure a repository and its user, whether they exist or not. */
function configurationFiles(
  { gitFolder, commonFolder, folder }: ConfiguredRepository,
  home: string,
): readonly string[] {
  const ofUser = filesOfUser(home, folder === undefined ? [] : [folder])
  const files = [join(commonFolder, 'config'), join(gitFolder, 'config.worktree'), ...ofUser]
  return [...new Set(files.map((file) => resolve('/', file)))]
}

/** Parses origin, NUL, name, newline, value and NUL of each setting; the newline is missing if there is no value. */
function parseSettings(listed: string): readonly GitSetting[] {
  const fields = listed.split('\0')
  const settings: GitSetting[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const origin = fields[at] ?? ''
    const setting = fields[at + 1] ?? ''
    const newline = setting.indexOf('\n')
    settings.push({
      key: newline === -1 ? setting : setting.slice(0, newline),
      value: newline === -1 ? '' : setting.slice(newline + 1),
      file: origin.startsWith('file:') ? pathFrom('/', origin.slice('file:'.length)) : null,
    })
  }
  return settings
}

/**
 * Sections and names that can make git run or read something. A name begins a line or follows its section, and no quoting
 * or continuation can hide it. A helper that is given by its name alone is one of git's own.
 */
const MAY_RUN = [
  /\[\s*(include|includeif|alias|hook|pager|filter)\b/i,
  /(?:^|\])\s*(hookspath|[\w-]*(?:hook|monitor|template|attributes|command|cmd|program|editor|pager|driver|textconv|external|askpass|proxy|browser|pack|update|tunnel|path|filter)[\w-]*)\s*(?:[=#;]|$)/im,
  /(?:^|\])\s*(helper)\s*=\s*[^\w\s]/im,
] as const
/** Names that git itself writes into every repository, and that look like others which run something. */
const EVERYWHERE = /^(?:logallrefupdates)$/i

/** Without an answer from git, configuration is accepted only if no name in it can run anything. */
function judgeUnasked(files: readonly string[], why: string): GitSettings {
  const ofSystem = process.env['GIT_CONFIG_NOSYSTEM'] === undefined ? SYSTEM_FILES : []
  for (const file of [...files, ...ofSystem]) {
    // Git has no such limit: what it reads and we do not could name anything.
    if (isLarge(file)) return { ok: false, why, files }
    const found = readPlainFile(file, 'own', MAX_BYTES)
    // Git stops at a file that it cannot read, and runs nothing.
    if (found.is !== 'read') continue
    const name = findRunning(found.bytes.toString('latin1'))
    if (name !== undefined) return { ok: false, why: `${why}, and ${file} contains "${name}"`, files }
  }
  return { ok: true, settings: [], files }
}

/** A name in a configuration file that may run something; undefined if there is none. */
function findRunning(text: string): string | undefined {
  // Git accepts no name before the first section.
  const isConfiguration = /^\s*(?:\u00EF\u00BB\u00BF)?\s*\[/m.test(text)
  if (!isConfiguration) return undefined
  return MAY_RUN.flatMap((pattern) => [...text.matchAll(new RegExp(pattern, 'gim'))])
    .map(([, name = '']) => name)
    .find((name) => !EVERYWHERE.test(name))
}
