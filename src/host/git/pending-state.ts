import { join } from 'node:path'
import { DECISIVE_FOLDERS } from '../confine/git-mounts.ts'
import { findExported, findRepositories } from './find-repositories.ts'
import type { FoundRepository } from './find-repositories.ts'
import type { PathView } from './path-view.ts'

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

/** Finds what makes git act later in the repositories of some roots, as it shows in a view. */
export function findPendingState(roots: readonly string[], view: PathView): readonly PendingState[] {
  const found = new Map(
    roots
      .flatMap((root) => [...findExported([root]), ...findRepositories(root, root)])
      .map((one) => [one.gitFolder, one]),
  )
  return [...found.values()].flatMap((repository) => [
    ...findOperations(repository, view),
    ...findNames(repository, view),
    ...findAttributes(repository, view),
  ])
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
  const textOf = (path: string): string => view.textOf(path, MAX_BYTES)
  return OPERATIONS.flatMap(({ name, todo, goesOn }): readonly PendingState[] => {
    const path = join(gitFolder, name)
    const kind = view.kindOf(path)
    if (kind === 'missing') return []
    const does = `${goesOn} carries out what is left in it`
    const isRun = name === 'rebase-merge'
    // Git would follow a link. What it leads to may be nothing that a command can read, so it is not looked at.
    if (kind !== 'folder') return [{ path, does, runs: isRun ? [UNKNOWN] : [], version: kind }]
    const list = join(path, todo)
    const left = textOf(list)
    // An operation of several picks keeps its options, such as the program that merges, beside its list.
    const options = ['strategy', 'strategy_opts', 'gpg_sign_opt', 'opts'].map((file) =>
      textOf(join(path, file)),
    )
    const isHidden = left === '' && sizeOf(list, view) > 0
    const runs = !isRun ? [] : isHidden ? [UNKNOWN] : findRun(left)
    const version = JSON.stringify([left, isHidden ? stampOf(list, view) : '', options])
    return [{ path, does, runs, version }]
  })
}

function findRun(left: string): readonly string[] {
  return left.split('\n').flatMap((line) => RUNS.exec(line)?.[1]?.replace(/[ \t\r]+$/, '') ?? [])
}

function findNames({ commonFolder }: FoundRepository, view: PathView): readonly PendingState[] {
  const textOf = (path: string): string => view.textOf(path, MAX_BYTES)
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
        ? ['config', 'config.worktree', 'commondir', 'gitdir'].map((file) => textOf(join(path, file)))
        : []
      return { path, does, runs: [], version: JSON.stringify([textOf(path), decisive]) }
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
  const text = view.textOf(path, MAX_BYTES)
  return text === '' ? [] : [{ path, does, runs: [], version: text }]
}

/** Shown instead of the lines of a list that is not read. */
const UNKNOWN = '(unknown: the list is too large, or not a regular file)'

function stampOf(path: string, view: PathView): string {
  const found = view.statOf(path)
  return found === null ? '' : `${found.size} ${found.mtimeMs} ${found.ctimeMs}`
}

function sizeOf(path: string, view: PathView): number {
  const found = view.statOf(path)
  if (found === null) return 0
  return found.isFile ? found.size : 1
}
