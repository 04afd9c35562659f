import { join } from 'node:path'
import { DECISIVE_FOLDERS } from '../confine/git-mounts.ts'
import { findExported, findRepositories } from './find-repositories.ts'
import type { FoundRepository } from './find-repositories.ts'
import type { PathView } from './path-view.ts'
import { trimEndOf } from '../../core/text/trim-end.ts'

/** Something in a git folder that makes git act later. */
export interface PendingState {
  readonly path: string
  /** What git will do because of it, as the end of a sentence. */
  readonly does: string
  /** The command lines that git would run, as they are in the file. */
  readonly runs: readonly string[]
  /** Differs whenever it would do something else. */
  readonly version: string
}

const MAX_BYTES = 1024 ** 2
/** Only a newline ends a line for git: what else looks like an end is part of the command. */
const RUNS = /^[ \t]*(?:exec|x)[ \t]+([^\n]+)/

/** Interrupted operations of git: their folder, the list of what is left to do, and how a person goes on with them. */
const OPERATIONS = [
  { name: 'rebase-merge', todo: 'git-rebase-todo', goesOn: 'git rebase --continue' },
  { name: 'rebase-apply', todo: 'next', goesOn: 'git am --continue or git rebase --continue' },
  { name: 'sequencer', todo: 'todo', goesOn: 'git cherry-pick --continue or git revert --continue' },
] as const

/** Folders in which every name is obeyed. */
const FOLDERS = [
  { name: 'modules', does: 'git obeys its configuration and hooks when a submodule is updated' },
  { name: 'worktrees', does: 'git treats it as one of the work trees of this repository' },
  { name: 'remotes', does: 'git fetches from and pushes to the address in it' },
  { name: 'branches', does: 'git fetches from and pushes to the address in it' },
] as const

/** Files in which git notes what the next command goes on with; those of an interrupted operation are named with it. */
const NOTES = [
  { name: 'MERGE_HEAD', does: 'the next git commit makes a merge of it' },
  { name: 'CHERRY_PICK_HEAD', does: 'the next git commit concludes the cherry-pick' },
  { name: 'REVERT_HEAD', does: 'the next git commit concludes the revert' },
  { name: 'MERGE_AUTOSTASH', does: 'git applies the changes in it when the merge ends' },
  { name: 'BISECT_START', does: 'git bisect goes on, and checks out other commits' },
] as const

/** Finds what makes git act later in the repositories of some roots, as it shows in a view. */
export function findPendingState(roots: readonly string[], view: PathView): readonly PendingState[] {
  const found = new Map(
    roots
      .flatMap((root) => [...findExported([root]), ...findRepositories(root, root)])
      .map((one) => [one.gitFolder, one]),
  )
  const states = [...found.values()].flatMap((repository) => [
    ...findOperations(repository, view),
    ...findNames(repository, view),
    ...findAttributes(repository, view),
    ...findNotes(repository, view),
    ...findResolutions(repository, view),
    ...findReplaced(repository, view),
  ])
  // Work trees share what is not their own.
  return [...new Map(states.map((state) => [state.path, state])).values()]
}

/** What is new or would do something else than before. */
export function newSince(
  before: readonly PendingState[],
  after: readonly PendingState[],
): readonly PendingState[] {
  const known = new Set(before.map(({ path, version }) => `${path}\0${version}`))
  return after.filter(({ path, version }) => !known.has(`${path}\0${version}`))
}

function findOperations({ gitFolder }: FoundRepository, view: PathView): readonly PendingState[] {
  return OPERATIONS.flatMap(({ name, todo, goesOn }): readonly PendingState[] => {
    const path = join(gitFolder, name)
    const kind = view.kindOf(path)
    if (kind === 'missing') return []
    const does = `${goesOn} carries out what is left in it`
    const isRun = name === 'rebase-merge'
    // Git would follow a link. What it leads to may be nothing that a command can read, so it is not looked at.
    if (kind !== 'folder') return [{ path, does, runs: isRun ? [UNKNOWN] : [], version: kind }]
    const list = join(path, todo)
    const left = view.textOf(list, MAX_BYTES)
    // An operation of several picks keeps its options, such as the program that merges, beside its list.
    const options = ['strategy', 'strategy_opts', 'gpg_sign_opt', 'opts'].map((file) =>
      versionOf(join(path, file), view),
    )
    const isHidden = left === '' && sizeOf(list, view) > 0
    const runs = !isRun ? [] : isHidden ? [UNKNOWN] : findRun(left)
    const version = JSON.stringify([versionOf(list, view), options])
    return [{ path, does, runs, version }]
  })
}

function findRun(left: string): readonly string[] {
  return left.split('\n').flatMap((line) => {
    const [, run] = RUNS.exec(line) ?? []
    return run === undefined ? [] : [trimEndOf(run, ' \t\r')]
  })
}

function findNames({ commonFolder }: FoundRepository, view: PathView): readonly PendingState[] {
  // A linked work tree has submodules of its own.
  const trees = view.namesIn(join(commonFolder, 'worktrees')).map((name) => `worktrees/${name}`)
  const linked = trees
    .filter((tree) => view.kindOf(join(commonFolder, tree)) === 'folder')
    .map((tree) => ({ name: `${tree}/modules`, does: FOLDERS[0].does }))
  const folders = [...FOLDERS, ...linked].filter(
    ({ name }) => !view.leavesOutGit(commonFolder) || !isDecisive(name),
  )
  return folders.flatMap(({ name, does }) => {
    const folder = join(commonFolder, name)
    // The names behind a link may be those of a folder that no command can see.
    if (view.kindOf(folder) === 'link') return [{ path: folder, does, runs: [], version: 'link' }]
    return view.namesIn(folder).map((entry) => {
      const path = join(folder, entry)
      const isFolder = view.kindOf(path) === 'folder'
      const decisive = isFolder
        ? ['config', 'config.worktree', 'commondir', 'gitdir'].map((file) =>
            versionOf(join(path, file), view),
          )
        : []
      return {
        path,
        does,
        runs: [],
        version: JSON.stringify([isFolder ? '' : versionOf(path, view), decisive]),
      }
    })
  })
}

function isDecisive(name: string): boolean {
  return DECISIVE_FOLDERS.some((one) => name === one || name.startsWith(`${one}/`))
}

function findAttributes({ commonFolder }: FoundRepository, view: PathView): readonly PendingState[] {
  const does = 'it decides for which files git runs the configured filter, diff and merge programs'
  const info = join(commonFolder, 'info')
  const path = join(info, 'attributes')
  const link = [info, path].find((one) => view.kindOf(one) === 'link')
  if (link !== undefined) return [{ path: link, does, runs: [], version: 'link' }]
  const version = versionOf(path, view)
  return version === '' ? [] : [{ path, does, runs: [], version }]
}

function findNotes({ gitFolder }: FoundRepository, view: PathView): readonly PendingState[] {
  const isThere = (name: string): boolean => view.kindOf(join(gitFolder, name)) !== 'missing'
  if (OPERATIONS.some(({ name }) => isThere(name))) return []
  return NOTES.filter(({ name }) => isThere(name)).map(({ name, does }) => {
    const path = join(gitFolder, name)
    return { path, does, runs: [], version: `${view.kindOf(path)} ${versionOf(path, view)}` }
  })
}

/** Recorded resolutions: git uses them in every repository that has the folder, unless it is told not to. */
function findResolutions({ commonFolder }: FoundRepository, view: PathView): readonly PendingState[] {
  const does = 'git resolves the same conflict like this in later merges'
  const folder = join(commonFolder, 'rr-cache')
  if (view.kindOf(folder) === 'link') return [{ path: folder, does, runs: [], version: 'link' }]
  return view.namesIn(folder).flatMap((name): readonly PendingState[] => {
    const path = join(folder, name)
    const images = view.namesIn(path).filter((image) => image.startsWith('postimage'))
    const isOdd = view.kindOf(path) === 'link'
    const version = JSON.stringify(images.map((image) => [image, versionOf(join(path, image), view)]))
    return images.length === 0 && !isOdd ? [] : [{ path, does, runs: [], version }]
  })
}

/** What makes git read another commit or other parents in the place of those that a commit has. */
function findReplaced({ commonFolder }: FoundRepository, view: PathView): readonly PendingState[] {
  const does = 'git reads something else in its place'
  const folder = join(commonFolder, 'refs/replace')
  const packed = view.textOf(join(commonFolder, 'packed-refs'), MAX_PACKED_BYTES)
  const replaced = [
    ...view.namesIn(folder).map((name) => [name, view.textOf(join(folder, name), MAX_BYTES).trim()] as const),
    ...[...packed.matchAll(PACKED)].map(([, to = '', name = '']) => [name, to] as const),
  ].map(([name, to]) => ({ path: join(folder, name), does, runs: [], version: to }))
  const grafts = join(commonFolder, 'info/grafts')
  const text = versionOf(grafts, view)
  const grafted = {
    path: grafts,
    does: 'git reads other parents of commits from it',
    runs: [],
    version: text,
  }
  return text === '' ? replaced : [...replaced, grafted]
}

/** Repositories have many more references than replaced objects. */
const MAX_PACKED_BYTES = 64 * MAX_BYTES
const PACKED = /^([\da-f]+) refs\/replace\/([\da-f]+)$/gm

/** Shown instead of the lines of a list that is not read. */
const UNKNOWN = '(unknown: the list is too large, or not a regular file)'

/** The text of a file; of one that is too large to be read, or no file, what changes with it. Empty if there is nothing. */
function versionOf(path: string, view: PathView): string {
  const text = view.textOf(path, MAX_BYTES)
  const found = text === '' && sizeOf(path, view) > 0 ? view.statOf(path) : null
  return found === null ? text : `${found.size} ${found.mtimeMs} ${found.ctimeMs}`
}

function sizeOf(path: string, view: PathView): number {
  const found = view.statOf(path)
  if (found === null) return 0
  return found.isFile ? found.size : 1
}
