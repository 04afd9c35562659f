import { basename, dirname, join, resolve } from 'node:path'
import { BARE_NAMES, isTakenForBare } from '../git/find-repositories.ts'
import { readLink } from '../git/follow/follow-named-path.ts'
import type { GuardPlan, GuardedLink, GuardedRepository, MovedAside } from './confinement.ts'
import { readGitlinks } from '../git/git-index.ts'
import { isRealFolder, kindOrMissing } from './inspect-path.ts'
import { openFoldersAbove, setAside } from './set-aside.ts'
import { watchNames } from './watch-names.ts'

/** Watches for files that would let a command decide what git runs outside its sandbox. */
export interface GitGuard {
  /** Renames what should not be there. Call it when no process of the command is left. */
  readonly moveAside: () => readonly MovedAside[]
  readonly close: () => void
}

interface Offence {
  readonly path: string
  readonly why: string
}

/** Starts watching; calls `onOffence` as soon as something forbidden appears, so that the command can be stopped. */
export function guardGit(plan: GuardPlan, onOffence: () => void): GitGuard {
  const known = new Map(plan.repositories.map((repository) => [repository, linkedNow(repository)]))
  const roots = plan.roots.filter((root) => !isTakenForBare(root))

  const findOffences = (): readonly Offence[] => [
    ...plan.forbidden
      .map((path) => findLink(plan, path) ?? path)
      .filter((path) => kindOrMissing(path) !== 'missing')
      .map((path) => ({
        path,
        why: `Sandboxed commands may not create ${basename(path)}: it controls what git runs.`,
      })),
    ...plan.links.filter(isRedirected).map(({ path }) => ({
      path,
      why: `Sandboxed commands may not change where ${basename(path)} leads: it controls what git runs.`,
    })),
    ...roots.filter(isTakenForBare).map((root) => ({
      path: join(root, 'HEAD'),
      why: 'Sandboxed commands may not turn the workspace into a git repository.',
    })),
    ...plan.repositories.flatMap((repository) =>
      findNewLinks(repository, known.get(repository) ?? new Set()),
    ),
  ]

  let isOver = false
  const watched = watchNames(
    [
      ...plan.forbidden,
      ...plan.links.map(({ path }) => path),
      ...roots.flatMap((root) => BARE_NAMES.map((name) => join(root, name))),
      ...plan.repositories.map(({ gitFolder }) => join(gitFolder, 'index')),
    ],
    () => {
      if (isOver || findOffences().length === 0) return
      isOver = true
      onOffence()
    },
  )
  return {
    moveAside: () => {
      for (const path of plan.forbidden) for (const root of plan.roots) openFoldersAbove(path, root)
      return findOffences().map(({ path, why }) => ({ path, movedTo: setAside(path), why }))
    },
    close: () => {
      isOver = true
      watched.close()
    },
  }
}

/** The topmost link on the way to a forbidden name: the link itself redirects git, and its target is not ours to touch. */
function findLink({ roots, repositories }: GuardPlan, path: string): string | null {
  const bases = new Set([...roots, ...repositories.map(({ gitFolder }) => gitFolder)])
  let link: string | null = null
  for (let at = dirname(path); !bases.has(at) && at !== dirname(at); at = dirname(at))
    if (kindOrMissing(at) === 'link') link = at
  return link
}

/** The existing repositories that a repository's index names; null if the index cannot be parsed. */
function linkedNow({ folder, gitFolder }: GuardedRepository): ReadonlySet<string> | null {
  const links = readGitlinks(join(gitFolder, 'index'))
  if (!links.ok) return null
  const inner = links.paths.map((path) => resolve(folder, path)).filter((path) => isRealFolder(folder, path))
  return new Set(inner.filter((path) => kindOrMissing(join(path, '.git')) !== 'missing'))
}

function findNewLinks(repository: GuardedRepository, before: ReadonlySet<string> | null): readonly Offence[] {
  const now = linkedNow(repository)
  if (now === null) {
    if (before === null) return []
    return [
      { path: join(repository.gitFolder, 'index'), why: "A sandboxed command left git's index unreadable." },
    ]
  }
  return [...now.difference(before ?? new Set())].map((path) => ({
    path: join(path, '.git'),
    why: 'A sandboxed command added a repository to the index: `git status` would follow its configuration.',
  }))
}

/** Whether something else is now where a link was; a link that is gone leads nowhere, and git runs nothing. */
function isRedirected({ path, target }: GuardedLink): boolean {
  return kindOrMissing(path) !== 'missing' && readLink(path) !== target
}
