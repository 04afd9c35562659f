import { closeSync, constants, openSync, readSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { readPlainFile } from '../fs/plain-file.ts'
import { askGit } from './ask-git.ts'
import { createEffort, onceEach } from './follow/effort.ts'
import type { Effort } from './follow/effort.ts'
import { pathFrom } from './follow/follow-named-path.ts'
import { findGivenSettings } from './named/given-settings.ts'
import type { GitSetting } from './git-setting.ts'
import { filesForAll } from './own-variables.ts'

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
const ANY_INCLUDE = /^include(?:if\..*)?\.path$/s
/** More paths than any configuration names; each takes a look at the disk for every edit. */
export const MAX_PATHS = 1_000
export const TOO_MANY_PATHS = `git's configuration names more than ${MAX_PATHS} paths`
const NAMES_PATH = /^(?:include(?:if\..*)?\.path|core\.(?:hookspath|attributesfile)|init\.templatedir)$/s

/**
 * Reads the settings of a repository, the user and the system by asking git. Files whose condition for being included
 * does not hold now are read as well: a command can meet it, for example by changing the branch.
 */
export function readGitSettings(
  repository: ConfiguredRepository,
  home: string,
  git?: string | null,
  effort: Effort = createEffort(),
): GitSettings {
  const own = configurationFiles(repository, home)
  const ask = (args: readonly string[]) => askSettings(args, home, git, effort)
  const odd = own.find((file) => isOdd(file))
  if (odd !== undefined) return judgeUnasked(own, `${odd} is not a small regular file`)
  // Without the repository: git would also open other files of it, which may be pipes, and follow every include.
  const listed = ask([`--git-dir=${NO_REPOSITORY}`, 'config', '--no-includes', ...LIST])
  if (!listed.ok) return judgeUnasked(own, listed.why)
  const settings = [...listed.settings]
  const seen = new Set(settings.flatMap(({ file }) => file ?? []))
  const files = new Set([...own, ...seen])
  const fail = (why: string): GitSettings => ({ ok: false, why, files: [...files] })
  const waiting = own.filter((file) => !seen.has(file))
  const follow = (found: readonly GitSetting[]): void => {
    for (const { key, value, file } of found) {
      if (!ANY_INCLUDE.test(key)) continue
      const path = expandPath(value, home, git)
      if (path !== null) waiting.push(pathFrom(file === null ? '/' : dirname(file), path))
    }
  }
  const findTooMuch = (): string | null => {
    const named = settings.filter(({ key }) => NAMES_PATH.test(key))
    if (named.length > MAX_PATHS) return TOO_MANY_PATHS
    const prefixed = new Set(named.flatMap(({ value }) => prefixOf(withoutMark(value)) ?? []))
    return prefixed.size > MAX_PREFIXES
      ? `git's configuration names the homes of more than ${MAX_PREFIXES} users`
      : null
  }
  const tooMuch = findTooMuch()
  if (tooMuch !== null) return fail(tooMuch)
  let bytes = listed.bytes
  follow(settings)
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (seen.has(file)) continue
    seen.add(file)
    files.add(file)
    if (isOdd(file)) return judgeUnasked([...files], `${file} is not a small regular file`)
    if (!isFile(file)) continue
    if (seen.size > MAX_FILES) return fail(`git's configuration includes more than ${MAX_FILES} files`)
    const answer = ask(['config', '--file', file, '--no-includes', ...LIST])
    if (!answer.ok) return judgeUnasked([...files], answer.why)
    const found = answer.settings
    for (const one of found) settings.push(one)
    bytes += answer.bytes
    if (bytes > MAX_BYTES) return fail(`git's configuration has more than ${MAX_BYTES} bytes`)
    const more = findTooMuch()
    if (more !== null) return fail(more)
    follow(found)
  }
  return { ok: true, settings, files: [...files] }
}

/** What a process takes, measured in characters that are looked up meanwhile. */
const EACH_FILE = 60_000

/** The settings that git listed, or why it did not. */
type Listed =
  | { readonly ok: true; readonly settings: readonly GitSetting[]; readonly bytes: number }
  | { readonly ok: false; readonly why: string }

const listOnce = onceEach<Listed>()

/** Many repositories have files in common: each is listed once for a judgement. */
function askSettings(
  args: readonly string[],
  home: string,
  git: string | null | undefined,
  effort: Effort,
): Listed {
  return listOnce(effort, JSON.stringify([args, home, git]), () => {
    effort.spend(EACH_FILE)
    const answer = askGit(args, home, git)
    if (!answer.ok) return answer
    return { ok: true, settings: parseSettings(answer.text), bytes: answer.text.length }
  })
}

/** A folder that is there, as conditions of includes need it, and is not a repository. */
const NO_REPOSITORY = '/dev'

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

/** What git answered about the home of another user or its own prefix, by that and the home of this user. */
const prefixes = new Map<string, string | null>()
/** Each is asked for by a process of its own. */
const MAX_PREFIXES = 64

/** A path may be marked as one that need not exist. */
function withoutMark(value: string): string {
  return value.replace(/^:\(optional\)/, '')
}

/** What only git knows at the beginning of a path: the home of another user, or its own prefix. */
function prefixOf(path: string): string | null {
  return /^(?:~[^/]+|%\(prefix\)(?=\/))/.exec(path)?.[0] ?? null
}

/** Git's own form of a path value: `~`, the prefix of its installation, and optional paths. Null if git cannot expand it. */
export function expandPath(value: string, home: string, git?: string | null): string | null {
  const path = withoutMark(value)
  if (path === '') return null
  if (path === '~' || path.startsWith('~/')) return home + path.slice(1)
  const prefix = prefixOf(path)
  if (prefix === null) return path
  const key = JSON.stringify([prefix, home])
  const cached = prefixes.get(key)
  const known = cached === undefined ? askPrefix(prefix, home, git) : cached
  if (prefixes.size >= MAX_PREFIXES) prefixes.clear()
  prefixes.set(key, known)
  return known === null ? null : known + path.slice(prefix.length)
}

function askPrefix(prefix: string, home: string, git?: string | null): string | null {
  const path = prefix.startsWith('~') ? prefix : `${prefix}/`
  const words = ['-c', `tongs.path=${path}`, 'config', '--type=path', '--null', 'tongs.path']
  const answer = askGit(words, home, git)
  return answer.ok ? answer.text.replace(/\/?\0$/, '') : null
}

/** The files that configure a repository, its user and the system, whether they exist or not. */
function configurationFiles(
  { gitFolder, commonFolder, folder }: ConfiguredRepository,
  home: string,
): readonly string[] {
  const forAll = filesForAll(home, folder === undefined ? [] : [folder])
  const files = [join(commonFolder, 'config'), join(gitFolder, 'config.worktree'), ...forAll]
  return [...new Set(files.map((file) => resolve('/', file)))]
}

/**
 * Parses origin, NUL, name, newline, value and NUL of each setting; the newline is missing if there is no value. What
 * their command lines give to git is added.
 */
function parseSettings(listed: string): readonly GitSetting[] {
  const fields = listed.split('\0')
  const found: GitSetting[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const origin = fields[at] ?? ''
    const setting = fields[at + 1] ?? ''
    const newline = setting.indexOf('\n')
    found.push({
      key: newline === -1 ? setting : setting.slice(0, newline),
      value: newline === -1 ? '' : setting.slice(newline + 1),
      file: origin.startsWith('file:') ? pathFrom('/', origin.slice('file:'.length)) : null,
    })
  }
  return found.flatMap((setting) => [setting, ...findGivenSettings(setting)])
}

/** Sections that can make git run or read something. */
const RUNNING_SECTION = /\[\s*(include|includeif|alias|hook|pager|filter)\b/gi
/**
 * A name, which begins a line or follows its section; no quoting or continuation can hide it. Blanks end with their line,
 * so that none of them is read twice.
 */
const ANY_NAME = /(?:^|\])[^\S\r\n]*([\w-]+)[^\S\r\n]*(?:[=#;]|$)/gm
const RUNNING_NAME =
  /hook|monitor|template|attributes|command|cmd|program|editor|pager|driver|textconv|external|askpass|proxy|browser|pack|update|tunnel|path|filter/i
/** A helper that is given by its name alone is one of git's own. */
const RUNNING_HELPER = /(?:^|\])[^\S\r\n]*(helper)[^\S\r\n]*=\s*[^\w\s]/gim
/** Names that git itself writes into every repository, and that look like others which run something. */
const EVERYWHERE = /^(?:logallrefupdates)$/i

/** Without an answer from git, configuration is accepted only if no name in it can run anything. */
function judgeUnasked(files: readonly string[], why: string): GitSettings {
  for (const file of files) {
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
  const isConfiguration = text
    .split(/[\r\n]/)
    .some((line) => /^(?:\u00EF\u00BB\u00BF)?\s*\[/.test(line.trimStart()))
  if (!isConfiguration) return undefined
  const firstOf = (pattern: RegExp, isMeant: (name: string) => boolean = () => true): string | undefined => {
    for (const [, name = ''] of text.matchAll(pattern)) if (isMeant(name)) return name
    return undefined
  }
  return (
    firstOf(RUNNING_SECTION) ??
    firstOf(ANY_NAME, (name) => RUNNING_NAME.test(name) && !EVERYWHERE.test(name)) ??
    firstOf(RUNNING_HELPER)
  )
}
