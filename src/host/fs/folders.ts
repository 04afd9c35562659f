import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve, sep } from 'node:path'

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where Tongs keeps its journal, keys and caches. */
export function stateFolder(env: Environment): string {
  const own = env['TONGS_STATE_DIR']
  if (own !== undefined && own !== '') return resolve(own)
  return join(xdgFolder(env, 'XDG_STATE_HOME', '.local/state'), 'tongs')
}

/** Whose home it is. */
export function homeFolder(env: Environment): string {
  return env['HOME'] ?? homedir()
}

/** The user's own configuration file. */
export function userConfigFile(env: Environment): string {
  const own = env['TONGS_CONFIG']
  if (own !== undefined && own !== '') return resolve(own)
  return join(xdgFolder(env, 'XDG_CONFIG_HOME', '.config'), 'tongs', 'config.toml')
}

/** The administrator's configuration file, above all others. */
export const MANAGED_CONFIG_FILE = '/etc/tongs/managed.toml'

/** The project's configuration file, inside its root. */
export const PROJECT_CONFIG_NAME = '.tongs.toml'

function xdgFolder(env: Environment, name: string, below: string): string {
  const given = env[name]
  if (given !== undefined && given.startsWith('/')) return given
  return join(env['HOME'] ?? homedir(), below)
}

/** The nearest folder upward that holds a repository, else the folder itself. */
export function findRoot(from: string): string {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return folder
    if (dirname(folder) === folder) return resolve(from)
  }
}

/** The real path of a folder, or null where there is none. */
export function canonicalFolder(path: string): string | null {
  try {
    const real = realpathSync(resolve(path))
    return statSync(real).isDirectory() ? real : null
  } catch {
    return null
  }
}

/** The text of a small file, null where there is none; other troubles are thrown. */
export function readTextIfExists(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return null
    throw error
  }
}

/** Replaces a small file of ours in one step, readable by its owner only. */
export function replaceText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const staged = `${path}.${process.pid}.new`
  writeFileSync(staged, text, { mode: 0o600 })
  renameSync(staged, path)
}

/** Gives a small file of ours another name; false where it is not there, or somebody else was quicker. */
export function renameIfExists(path: string, target: string): boolean {
  try {
    renameSync(path, target)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** Removes a small file of ours; that it is gone already is fine. */
export function removeIfExists(path: string): void {
  rmSync(path, { force: true })
}

/** Writes a new file of ours in one step, folders included; nobody else may read it. */
export function writePrivateFile(path: string, bytes: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  writeFileSync(path, bytes, { mode: 0o600 })
}

/** Whether a folder lies in another one, or is it; both are resolved as far as they exist. */
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
}

/** What changes whenever a name in a folder comes or goes; nobody can set it back. */
export interface FolderStamp {
  readonly text: string
  /** Epoch milliseconds of the last change. */
  readonly changedMs: number
}

/** The stamp of a folder, or null where there is none. */
export function folderStamp(path: string): FolderStamp | null {
  try {
    const { ino, dev, ctimeNs, mtimeNs, ctimeMs } = lstatSync(path, { bigint: true })
    return { text: `${dev}:${ino}:${ctimeNs}:${mtimeNs}`, changedMs: Number(ctimeMs) }
  } catch {
    return null
  }
}

/** The names in a folder, or null where they cannot be read; links are never followed. */
export function readFolderNames(path: string): readonly FoundName[] | null {
  try {
    return readdirSync(path, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      isFolder: entry.isDirectory(),
    }))
  } catch {
    return null
  }
}

/** The folder of the package that a module lies in, whether it runs from a checkout, bundled or installed. */
export function findPackageFolder(from: string): string {
  for (let folder = from; ; folder = join(folder, '..')) {
    if (existsSync(join(folder, 'package.json')) || folder === join(folder, '..')) return folder
  }
}
