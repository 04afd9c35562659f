import { dirname } from 'node:path'
import type { FoundRepository } from './find-repositories.ts'
import { pathFrom } from './follow-named-path.ts'
import type { GitSetting } from './git-setting.ts'
import type { NamedPath } from './named-path.ts'
import { findPrograms } from './named-programs.ts'
import { exportedPlaces } from './own-variables.ts'
import { expandPath } from './read-settings.ts'

/** Settings that neither run anything nor decide what is run. All others are taken for commands. */
const HARMLESS =
  /^(?:(?:user|author|committer|branch|color|column|i18n|status|advice|log|format|push|pull|fetch|blame|mailmap|apply|index|pack|repack|feature|versionsort|safe|protocol|url)\.|core\.(?:excludesfile|worktree|bare|repositoryformatversion|filemode|logallrefupdates|autocrlf|eol|safecrlf|quotepath|ignorecase|precomposeunicode|symlinks|compression|abbrev)$|init\.defaultbranch$|commit\.template$|remote\..*\.(?:url|pushurl|fetch|push)$|submodule\..*\.(?:url|path|active|branch|ignore)$)/s

/** Longer than any path that people write. A word is held against the disk at each of its signs. */
const LONGEST_WORD = 1_024
/** More than the commands of any configuration. All of their words are looked for on the disk. */
const MOST_CHARS = 32 * 1024

/** Why settings cannot be judged in any reasonable time, as a repository of somebody else may have them; null if they can. */
export function findUnjudgeable(settings: readonly GitSetting[]): string | null {
  const judged = settings.map((setting) => ({
    key: setting.key,
    value: NAMES_ONE_PATH.test(setting.key) ? setting.value : commandOf(setting),
  }))
  const long = judged.find(({ value }) => value.split(/\s+/).some((word) => word.length > LONGEST_WORD))
  if (long !== undefined) return `the value of ${long.key} has a word of more than ${LONGEST_WORD} characters`
  const chars = judged.reduce((sum, { value }) => sum + value.length, 0)
  return chars <= MOST_CHARS ? null : `git's configuration has commands of more than ${MOST_CHARS} characters`
}

const NAMES_ONE_PATH =
  /^(?:include(?:if\..*)?\.path|core\.(?:hookspath|attributesfile|worktree)|init\.templatedir|GIT_.*)$/s

/** The paths that a repository's settings name, relative ones resolved as git would. */
export function findNamedPaths(
  settings: readonly GitSetting[],
  { folder, gitFolder, commonFolder }: FoundRepository,
  home: string,
): readonly NamedPath[] {
  const tops = [folder, ...findWorkTrees(settings, gitFolder), ...exportedPlaces([folder]).workTrees]
  return settings.flatMap((setting): readonly NamedPath[] => {
    const { key, value, file } = setting
    const named = (is: NamedPath['is'], bases: readonly string[]): readonly NamedPath[] => {
      const path = expandPath(value, home)
      if (path === null) return []
      return [...new Set(bases.map((base) => pathFrom(base, path)))].map((at) => ({
        path: at,
        is,
        evenIfMissing: true,
        setting,
      }))
    }
    switch (key) {
      case 'core.hookspath': {
        // Some hooks are run in the work tree and some in git's own folder.
        const hooks = named('hooks', [...tops, gitFolder, commonFolder])
        return [...hooks, ...hooks.flatMap(besideHooks)]
      }
      case 'init.templatedir':
      case 'GIT_TEMPLATE_DIR':
        return named('template', tops)
      case 'GIT_EXEC_PATH':
        return named('programs', tops)
      case 'core.attributesfile':
        return named('attributes', tops)
    }
    if (/^include(?:if\..*)?\.path$/s.test(key))
      return named('settings', [file === null ? '/' : dirname(file)])
    const command = commandOf(setting)
    return command === ''
      ? []
      : tops.flatMap((top) => findPrograms({ ...setting, value: command }, top, home))
  })
}

/** An address that is a command line, in a value or in the name of a setting that rewrites addresses. */
const COMMAND_ADDRESS = /^ext::/
const REWRITTEN = /^url\.(ext::.*)\.(?:push)?insteadof$/s

/** The command line in a setting; empty if there is none. */
function commandOf({ key, value }: GitSetting): string {
  const address = REWRITTEN.exec(key)?.[1] ?? value
  if (COMMAND_ADDRESS.test(address)) return address.replace(COMMAND_ADDRESS, '')
  return HARMLESS.test(key) ? '' : value
}

/** Other work trees than the folder of the repository: relative paths of programs and hooks start there. */
function findWorkTrees(settings: readonly GitSetting[], gitFolder: string): readonly string[] {
  return settings.flatMap(({ key, value }) =>
    key === 'core.worktree' && value !== '' ? [pathFrom(gitFolder, value)] : [],
  )
}

/** Husky's hooks are one line each and run the file of the same name in the folder above. */
function besideHooks(hooks: NamedPath): readonly NamedPath[] {
  return /\/_\/*$/.test(hooks.path) ? [{ ...hooks, path: dirname(hooks.path) }] : []
}
