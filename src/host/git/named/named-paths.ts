import { dirname } from 'node:path'
import { failure } from '../../../core/error.ts'
import { lineOfAlias } from './alias-line.ts'
import type { Effort } from '../follow/effort.ts'
import type { FoundRepository } from '../find-repositories.ts'
import { pathFrom } from '../follow/follow-named-path.ts'
import { PATH_MAX } from '../../way/follow-way.ts'
import type { GitSetting } from '../git-setting.ts'
import { findMadeNames } from './made-names.ts'
import type { NamedPath } from './named-path.ts'
import { findProgramsAt } from './programs-at.ts'
import { exportedPlaces } from '../own-variables.ts'
import { expandPath } from '../read-settings.ts'

/** Settings that neither run anything nor decide what is run. All others are taken for commands. */
const HARMLESS =
  /^(?:(?:user|author|committer|branch|color|column|i18n|status|advice|log|format|push|pull|fetch|blame|mailmap|apply|index|pack|repack|feature|versionsort|safe|protocol|url)\.|core\.(?:excludesfile|worktree|bare|repositoryformatversion|filemode|logallrefupdates|autocrlf|eol|safecrlf|quotepath|ignorecase|precomposeunicode|symlinks|compression|abbrev)$|init\.defaultbranch$|commit\.template$|remote\..*\.(?:url|pushurl|fetch|push)$|submodule\..*\.(?:url|path|active|branch|ignore)$)/s

/** The paths that a repository's settings name, relative ones resolved as git would. */
export function findNamedPaths(
  settings: readonly GitSetting[],
  { folder, gitFolder, commonFolder, inner = [] }: FoundRepository,
  home: string,
  effort: Effort,
): readonly NamedPath[] {
  const tops = [
    ...new Set([folder, ...findWorkTrees(settings, gitFolder), ...exportedPlaces([folder]).workTrees]),
  ]
  return settings.flatMap((setting): readonly NamedPath[] => {
    const { key, value, file } = setting
    const named = (is: NamedPath['is'], bases: readonly string[]): readonly NamedPath[] => {
      const path = expandPath(value, home)
      if (path === null) return []
      effort.spend((path.length + EACH_PATH) * bases.length)
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
      case 'GITPERLLIB':
      case 'MERGE_TOOLS_DIR':
        return named('programs', tops)
      case 'core.attributesfile':
        return named('attributes', tops)
    }
    if (/^include(?:if\..*)?\.path$/s.test(key))
      return named('settings', [file === null ? '/' : dirname(file)])
    const command = commandOf(setting)
    const starts = FOR_EACH_SUBMODULE.test(`${key} ${value}`) ? [...new Set([...tops, ...inner])] : tops
    const lines = [command, findMadeNames(setting).join('\n')].filter((line) => line !== '')
    return lines.flatMap((line) => findProgramsAt({ ...setting, value: line }, starts, home, effort))
  })
}

/** Where git runs a command in each submodule. */
const FOR_EACH_SUBMODULE = /^submodule\.|\bforeach\b/

/** To note a path, measured in characters that are looked up meanwhile. */
const EACH_PATH = 50

/** An address that is a command line or begins with the name of a program. */
const SPECIAL_ADDRESS = /^([\w-]+)::(.*)$/s
/** A setting that rewrites addresses has the address in its own name. */
const REWRITTEN = /^url\.([\w-]+::.*)\.(?:push)?insteadof$/s
const NAMES_TRANSPORT = /^remote\..*\.vcs$/s
const NAMES_HELPER = /^credential\.(?:.*\.)?helper$/s

/** The command line in a setting, as git makes it; empty if there is none. */
function commandOf({ key, value }: GitSetting): string {
  if (key.startsWith('alias.')) return lineOfAlias(value)
  const [, transport, address = ''] = SPECIAL_ADDRESS.exec(REWRITTEN.exec(key)?.[1] ?? value) ?? []
  if (transport === 'ext') return address
  if (HARMLESS.test(key)) return ''
  if (NAMES_TRANSPORT.test(key)) return `git-remote-${value} ${value}`
  return NAMES_HELPER.test(key) && !/^[!/]/.test(value) ? `git-credential-${value} ${value}` : value
}

/** Other work trees than the folder of the repository: relative paths of programs and hooks start there. */
function findWorkTrees(settings: readonly GitSetting[], gitFolder: string): readonly string[] {
  return settings.flatMap(({ key, value, file }) => {
    if (key !== 'core.worktree' || value === '') return []
    // Everything else begins with it.
    if (value.length > PATH_MAX)
      throw failure('not_allowed', `core.worktree in ${file ?? 'the environment'} is longer than any path`)
    return [pathFrom(gitFolder, value)]
  })
}

/** Husky's hooks are one line each and run the file of the same name in the folder above. */
function besideHooks(hooks: NamedPath): readonly NamedPath[] {
  return /\/_\/*$/.test(hooks.path) ? [{ ...hooks, path: dirname(hooks.path) }] : []
}
