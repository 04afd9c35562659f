import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path'
import { ioFailure, isOutage } from '../root/io-failure.ts'
import { isSameFolder } from '../system/exact-input.ts'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The folder for the journal, keys and caches. */
export function stateFolder(env: Environment): string {
  const own = env['TONGS_STATE_DIR']
  if (own !== undefined && own !== '') return resolve(own)
  return join(xdgFolder(env, 'XDG_STATE_HOME', '.local/state'), 'tongs')
}

/**
 * The user's home folder. An empty or relative HOME does not count: it would start in the current folder, and whoever
 * wrote the files there would configure Tongs.
 */
export function homeFolder(env: Environment): string {
  const given = env['HOME'] ?? ''
  return isAbsolute(given) ? given : systemHome() || NO_HOME
}

/** For a user whom the system does not know. */
const NO_HOME = resolve('/nonexistent')

/** Every folder that is a home of the current user: as set, and as the system knows it. */
export function homeFolders(env: Environment): readonly string[] {
  return [...new Set([homeFolder(env), systemHome()])].filter((home) => home.startsWith('/'))
}

function systemHome(): string {
  try {
    return userInfo().homedir
  } catch {
    // The user is not in the system's list.
    return ''
  }
}

/** Where the state and the configuration of Tongs are, unless variables say otherwise. */
export function usualFolders(env: Environment): {
  readonly state: readonly string[]
  readonly config: readonly string[]
} {
  const below = (name: string, usual: string): readonly string[] => [
    ...new Set([xdgFolder(env, name, usual), ...homeFolders(env).map((home) => join(home, usual))]),
  ]
  return {
    state: below('XDG_STATE_HOME', '.local/state').map((folder) => join(folder, 'tongs')),
    config: below('XDG_CONFIG_HOME', '.config').map((folder) => join(folder, 'tongs')),
  }
}

const CONFIGURATION = 'config.toml'
const KEYS = 'keys.json'

/** The files that give rights or hold keys, in each folder where the user's own may be. */
export function usualFiles(env: Environment): readonly string[] {
  return usualFolders(env).config.flatMap((folder) => [join(folder, CONFIGURATION), join(folder, KEYS)])
}

/** The user's configuration file. */
export function userConfigFile(env: Environment): string {
  const own = env['TONGS_CONFIG']
  if (own !== undefined && own !== '') return resolve(own)
  return join(xdgFolder(env, 'XDG_CONFIG_HOME', '.config'), 'tongs', CONFIGURATION)
}

/** The file of the keys that the user gave to `tongs setup`, in the usual folder even if the configuration is elsewhere. */
export function keyFile(env: Environment): string {
  return join(userFolder(env), KEYS)
}

/** The folder of the user's own keys, commands, notes and skills; where it is does not depend on the configuration. */
export function userFolder(env: Environment): string {
  return join(xdgFolder(env, 'XDG_CONFIG_HOME', '.config'), 'tongs')
}

/** The administrator's configuration file, which overrides all others. */
export const MANAGED_CONFIG_FILE = '/etc/tongs/managed.toml'

/** The project's configuration file, inside its root. */
export const PROJECT_CONFIG_NAME = '.tongs.toml'

/** The project's folder for Tongs, inside its root. */
export const PROJECT_FOLDER_NAME = '.tongs'

function xdgFolder(env: Environment, name: string, below: string): string {
  const given = env[name]
  if (given !== undefined && given.startsWith('/')) return given
  return join(homeFolder(env), below)
}

/**
 * The nearest folder at or above this one that holds a repository, else the folder itself. Anyone can put a `.git` into
 * a shared folder such as /tmp, so it counts only if it belongs to the user or to the owner of the folder.
 */
export function findRoot(from: string, user: number | undefined = process.geteuid?.()): string {
  const start = resolve(from)
  const owner = statSync(start, { throwIfNoEntry: false })?.uid
  for (let folder = start; ; folder = dirname(folder)) {
    if (holdsRepository(folder, user, owner)) return folder
    if (dirname(folder) === folder) return start
  }
}

const OTHERS_WRITE = 0o002

function holdsRepository(folder: string, user: number | undefined, owner: number | undefined): boolean {
  try {
    const git = join(folder, '.git')
    const found = statSync(git, { throwIfNoEntry: false })
    if (found === undefined || !(found.isDirectory() || found.isFile())) return false
    if (user === undefined) return true
    // Of a link, whoever made it is asked for, not the owner of what it leads to.
    const { uid } = lstatSync(git)
    if (uid === user) return true
    return uid === owner && (statSync(folder).mode & OTHERS_WRITE) === 0
  } catch {
    return false
  }
}

/** The real path of a folder, or null if there is none. */
export function canonicalFolder(path: string): string | null {
  try {
    const real = realpathSync(resolve(path))
    // A name that is not UTF-8 has no text of its own: the text of it may be the name of another folder.
    return statSync(real).isDirectory() && isSameFolder(path, real) ? real : null
  } catch {
    return null
  }
}

/** The canonical path that a folder had which is gone now. */
export function formerFolder(path: string): string {
  const full = resolve(path)
  const above = dirname(full)
  return join(above === full ? above : (canonicalFolder(above) ?? formerFolder(above)), basename(full))
}

/** What a folder keeps when it is renamed; null if the file system does not tell. */
export function folderIdentity(path: string): string | null {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  // Device numbers change with a restart; the time of birth tells a reused inode from the old one.
  return stats === undefined || stats.birthtimeNs <= 0n ? null : `${stats.ino} ${stats.birthtimeNs}`
}

/** Replaces a small file of ours atomically, readable only by its owner. */
export function replaceText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const staged = `${path}.${process.pid}.new`
  writeFileSync(staged, text, { mode: 0o600 })
  renameSync(staged, path)
}

/** Renames a small file of ours; false if it does not exist, for example because another process was quicker. */
export function renameIfExists(path: string, target: string): boolean {
  try {
    renameSync(path, target)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Removes a small file of ours, if it exists. */
export function removeIfExists(path: string): void {
  rmSync(path, { force: true })
}

/** Writes a file of ours that only its owner may read, and creates its folders. */
export function writePrivateFile(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, bytes, { mode: 0o600 })
}

/** Whether a folder is another one or lies in it; both are resolved as far as they exist. */
export function isInside(inner: string, outer: string): boolean {
  const a = resolveExisting(inner)
  const b = resolveExisting(outer)
  return a === b || a.startsWith(b.endsWith(sep) ? b : b + sep)
}

function resolveExisting(path: string): string {
  const whole = resolve(path)
  for (let head = whole, tail = ''; ;) {
    try {
      return join(realpathSync(head), tail)
    } catch {
      if (dirname(head) === head) return whole
      tail = join(head.slice(dirname(head).length).replace(/^[\\/]+/, ''), tail)
      head = dirname(head)
    }
  }
}

function isMissing(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** A name in a folder. */
export interface FoundName {
  readonly name: string
  readonly isFolder: boolean
  /** Whether it is a named pipe. */
  readonly isPipe: boolean
}

/** The names in a folder, or null if it may not be read; links are never followed. Throws if the machine failed for now. */
export function readFolderNames(path: string): readonly FoundName[] | null {
  try {
    return readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
      isPipe: entry.isFIFO(),
    }))
  } catch (error) {
    if (isOutage(error)) throw ioFailure(error, 'list', path)
    return null
  }
}

/** Whether the names in a folder can be listed and opened by this process. Throws if the machine failed for now. */
export function isOpenFolder(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.X_OK)
    return true
  } catch (error) {
    if (isOutage(error)) throw ioFailure(error, 'list', path)
    return false
  }
}

const MAX_RAW_NAMES = 10_000

/**
 * The paths of everything in those folders of a folder whose names are not UTF-8, with a replacement character for what
 * cannot be spelled. Null if some of it cannot be read, or there is too much of it.
 */
export function readRawNames(folder: string): readonly string[] | null {
  const found: string[] = []
  const waiting: Buffer[] = []
  const read = (at: Buffer, isTop: boolean): void => {
    for (const entry of readdirSync(at, { encoding: 'buffer', withFileTypes: true })) {
      const path = Buffer.concat([at, Buffer.from('/'), entry.name])
      if (isTop && !entry.name.toString().includes('\uFFFD')) continue
      if (!isTop) found.push(path.toString())
      if (entry.isDirectory()) waiting.push(path)
    }
  }
  try {
    read(Buffer.from(folder), true)
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      accessSync(at, constants.X_OK)
      read(at, false)
      if (found.length > MAX_RAW_NAMES) return null
    }
    return found
  } catch (error) {
    if (isOutage(error)) throw ioFailure(error, 'list', folder)
    return null
  }
}

/** The folder of the package that contains a module, whether it runs from a checkout, a bundle or an installation. */
export function findPackageFolder(from: string): string {
  for (let folder = from; ; folder = join(folder, '..')) {
    if (existsSync(join(folder, 'package.json')) || folder === join(folder, '..')) return folder
  }
}
