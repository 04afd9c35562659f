import { delimiter, isAbsolute, join, resolve } from 'node:path'
import type { GitSetting } from './git-setting.ts'

/** Variables that decide which configuration files the user's own git reads. */
const CHOOSES_CONFIGURATION =
  /^(?:XDG_CONFIG_HOME|GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|COUNT|KEY_\d+|VALUE_\d+|PARAMETERS))$/
const NAMES_FILE = /^(?:XDG_CONFIG_HOME|GIT_CONFIG_(?:GLOBAL|SYSTEM))$/
const NAMES_FOLDER = /^(?:GIT_(?:TEMPLATE_DIR|EXEC_PATH)|MERGE_TOOLS_DIR)$/
/** Where the programs of git that are written in Perl find their parts; the names are separated like those of PATH. */
const NAMES_FOLDERS = /^GITPERLLIB$/
/** A program is named by a path, or by a word that PATH finds. */
const NAMES_PROGRAM =
  /^(?:GIT_(?:EDITOR|SEQUENCE_EDITOR|PAGER|SSH|SSH_COMMAND|EXTERNAL_DIFF|DIFFTOOL_EXTCMD|ASKPASS|PROXY_COMMAND)|EDITOR|VISUAL|PAGER|SSH_ASKPASS)$/
const DECISIVE = /^(?:GIT_|GITPERLLIB$|MERGE_TOOLS_DIR$|XDG_CONFIG_HOME$|EDITOR$|VISUAL$|PAGER$|SSH_ASKPASS$)/

/** Where git keeps the configuration of the system, as far as that is known without asking it. */
const SYSTEM_FILES = ['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig']

/**
 * The variables with which git is asked. Those that choose another repository or work tree are left out, because the
 * question names its own. A relative file starts wherever git runs, so it is read by its path instead.
 */
export function askingVariables(): Readonly<Record<string, string>> {
  const chosen = Object.entries(process.env).filter(
    ([name, value = '']) =>
      CHOOSES_CONFIGURATION.test(name) && (!NAMES_FILE.test(name) || value === '' || isAbsolute(value)),
  )
  return Object.fromEntries(chosen.map(([name, value = '']) => [name, value]))
}

/** Changes with every variable that decides what the user's git reads or runs. */
export function variablesStamp(): string {
  return JSON.stringify(Object.entries(process.env).filter(([name]) => DECISIVE.test(name)))
}

/** The files with the user's own settings, whether they exist or not. Relative ones are looked for in each of `starts`. */
function filesOfUser(home: string, starts: readonly string[]): readonly string[] {
  const { XDG_CONFIG_HOME: xdg = '', GIT_CONFIG_GLOBAL: global } = process.env
  if (global !== undefined && (global === '' || isAbsolute(global))) return [global]
  return [
    join(home, '.gitconfig'),
    join(home, '.config/git/config'),
    ...(xdg === '' ? [] : everyStart(join(xdg, 'git/config'), starts)),
    ...(global === undefined ? [] : everyStart(global, starts)),
  ]
}

/** The files with settings for every repository: the user's and the system's, whether they exist or not. */
export function filesForAll(home: string, starts: readonly string[]): readonly string[] {
  const { GIT_CONFIG_SYSTEM: system, GIT_CONFIG_NOSYSTEM: none } = process.env
  const ofSystem = none !== undefined ? [] : system === undefined ? SYSTEM_FILES : everyStart(system, starts)
  return [...filesOfUser(home, starts), ...ofSystem].map((file) => resolve('/', file))
}

/** The programs and folders that variables name, as if the configuration named them. */
export function settingsOfVariables(): readonly GitSetting[] {
  return Object.entries(process.env).flatMap(([key, value = '']) => {
    const isNamed = NAMES_FOLDER.test(key) || NAMES_PROGRAM.test(key)
    const values = NAMES_FOLDERS.test(key) ? value.split(delimiter) : isNamed ? [value] : []
    return values.filter((one) => one !== '').map((one) => ({ key, value: one, file: null }))
  })
}

/** The files that say for every repository for which files git runs programs, whether they exist or not. */
export function attributesForAll(home: string, starts: readonly string[]): readonly string[] {
  const { XDG_CONFIG_HOME: xdg = '' } = process.env
  const ofUser = xdg === '' ? [] : everyStart(join(xdg, 'git/attributes'), starts)
  return [join(home, '.config/git/attributes'), ...ofUser, '/etc/gitattributes'].map((file) =>
    resolve('/', file),
  )
}

/** Another git folder or work tree that variables name for every git that the user starts; absolute. */
export function exportedPlaces(starts: readonly string[]): {
  readonly gitFolders: readonly string[]
  readonly workTrees: readonly string[]
} {
  const { GIT_DIR: git = '', GIT_COMMON_DIR: common = '', GIT_WORK_TREE: tree = '' } = process.env
  const named = (value: string): readonly string[] => (value === '' ? [] : everyStart(value, starts))
  return { gitFolders: [...named(git), ...named(common)], workTrees: named(tree) }
}

/** A relative path is meant wherever the user starts git: in one of some folders, or where they started Tongs. */
function everyStart(path: string, starts: readonly string[]): readonly string[] {
  return isAbsolute(path) ? [path] : [...starts, process.cwd()].map((start) => `${start}/${path}`)
}
