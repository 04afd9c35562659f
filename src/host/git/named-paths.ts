import { dirname, join } from 'node:path'
import { pathFrom } from './follow-named-path.ts'
import { exportedPlaces } from './own-variables.ts'
import { expandPath } from './read-settings.ts'
import type { GitSetting } from './git-setting.ts'
import type { FoundRepository } from './find-repositories.ts'

/** A path that a setting names. */
export interface NamedPath {
  readonly path: string
  /** Whether git runs it, reads its own settings from it, or finds programs in it. */
  readonly is: 'hooks' | 'template' | 'settings' | 'attributes' | 'programs' | 'program'
  /** Whether to protect it before it exists. An ordinary word of a command need not be a path at all. */
  readonly evenIfMissing: boolean
  /** Only files that can be executed. */
  readonly onlyExecutable?: boolean
  readonly setting: GitSetting
}

/** Settings that neither run anything nor decide what is run. All others are taken for commands. */
const HARMLESS =
  /^(?:(?:user|author|committer|branch|color|column|i18n|status|advice|log|format|push|pull|fetch|blame|mailmap|apply|index|pack|repack|feature|versionsort|safe|protocol|url)\.|core\.(?:excludesfile|worktree|bare|repositoryformatversion|filemode|logallrefupdates|autocrlf|eol|safecrlf|quotepath|ignorecase|precomposeunicode|symlinks|compression|abbrev)$|init\.defaultbranch$|commit\.template$|remote\..*\.(?:url|pushurl|fetch|push)$|submodule\..*\.(?:url|path|active|branch|ignore)$)/s

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
    if (value === '' || HARMLESS.test(key)) return []
    return tops.flatMap((top) => findPrograms(setting, top, home))
  })
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

/** What separates the words of a command, quotes and expansions included: a word more than git sees does no harm. */
const BETWEEN_WORDS = /[\s"'`$()<>{}=]+/
const INTERPRETER = /^(?:.*\/)?(?:\w*sh|source|\.|python[\d.]*|node|deno|bun|perl|ruby|php|lua|awk|make)$/
const NEXT_COMMAND = /[;&|\n]+|\$\(|`/

/** Files that the words of a command name. Git runs commands at the top of the work tree. */
function findPrograms(setting: GitSetting, folder: string, home: string): readonly NamedPath[] {
  const isAlias = setting.key.startsWith('alias.')
  // Other aliases are options and words for git itself.
  if (isAlias && !setting.value.startsWith('!')) return []
  const line = setting.value.replace(/^!/, '').replaceAll(/\$HOME\b|\$\{HOME\}/g, home)
  return line.split(NEXT_COMMAND).flatMap((command) => {
    const words = command.split(BETWEEN_WORDS).filter((word) => word !== '' && !word.startsWith('-'))
    return words.flatMap((word, position): readonly NamedPath[] => {
      const evenIfMissing = word.includes('/')
        ? position < (isAlias ? 1 : 2)
        : !isAlias && position === 1 && /\.\w+$/.test(word)
      // What an interpreter runs need not be executable.
      const isScript = position === 1 && INTERPRETER.test(words[0] ?? '')
      const path = word.startsWith('~/') ? join(home, word.slice(2)) : pathFrom(folder, word)
      const made = {
        is: 'program',
        evenIfMissing,
        setting,
        ...(isAlias && !isScript ? { onlyExecutable: true } : {}),
      } as const
      // The rest of "$(git rev-parse --show-toplevel)/script", whose beginning was cut off.
      const below = word.startsWith('/') ? [{ ...made, path: join(folder, word), evenIfMissing: false }] : []
      return [{ ...made, path }, ...below]
    })
  })
}
