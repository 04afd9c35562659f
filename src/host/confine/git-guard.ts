import { basename, dirname, join } from 'node:path'
import { ToolFailure } from '../../core/error.ts'
import { BARE_NAMES, isTakenForBare } from '../git/find-repositories.ts'
import { readLink } from '../way/find-way.ts'
import type { GuardPlan, GuardedLink, GuardedRepository, MovedAside } from './confinement.ts'
import { readGitlinks } from '../git/git-index.ts'
import { findNamedByIndex } from '../git/named-by-index.ts'
import { kindOrMissing } from './inspect-path.ts'
import { openFoldersAbove, putBack, setAside } from './set-aside.ts'
import { watchNames } from './watch-names.ts'

/** Watches for files that would let a command decide what git runs outside its sandbox, and for links that have to stay. */
export interface GitGuard {
  /** Renames what should not be there. Call it when no process of the command is left. */
  readonly moveAside: () => readonly MovedAside[]
  readonly close: () => void
}

interface Offence {
  readonly path: string
  readonly why: string
  /** What has to be in its place. */
  readonly link?: GuardedLink
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
    ...plan.links.filter(isRedirected).map((link) => ({
      path: link.path,
      why: `Sandboxed commands may not change where ${basename(link.path)} leads: it controls what git runs.`,
      link,
    })),
    ...plan.denied.filter(isRedirected).map((link) => ({
      path: link.path,
      why: `Sandboxed commands may not change where ${basename(link.path)} leads: what is there is denied by its name.`,
      link,
    })),
    ...roots.filter(isTakenForBare).map((root) => ({
      path: join(root, 'HEAD'),
      why: 'Sandboxed commands may not turn the workspace into a git repository.',
    })),
    ...plan.repositories.flatMap((repository) =>
      findNewLinks(repository, known.get(repository) ?? new Map()),
    ),
  ]

  let isOver = false
  const watched = watchNames(
    [
      ...plan.forbidden,
      ...[...plan.links, ...plan.denied].map(({ path }) => path),
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
      // The same link may be on the way to several places.
      const offences = new Map(findOffences().map((offence) => [offence.path, offence]))
      return [...offences.values()].map(settle)
    },
    close: () => {
      isOver = true
      watched.close()
    },
  }
}

/** Renames what should not be there. A link that is gone is put back: without it, nothing would protect what it led to. */
function settle({ path, why, link }: Offence): MovedAside {
  const isGone = kindOrMissing(path) === 'missing'
  const movedTo = isGone ? null : setAside(path)
  const isPutBack = link !== undefined && (isGone || movedTo !== null) && putBack(link)
  return { path, movedTo, why, ...(isGone && link !== undefined ? { isPutBack } : {}) }
}

/** The topmost link on the way to a forbidden name: the link itself redirects git, and its target is not ours to touch. */
function findLink({ roots, repositories }: GuardPlan, path: string): string | null {
  const bases = new Set([...roots, ...repositories.map(({ gitFolder }) => gitFolder)])
  let link: string | null = null
  for (let at = dirname(path); !bases.has(at) && at !== dirname(at); at = dirname(at))
    if (kindOrMissing(at) === 'link') link = at
  return link
}

/** The existing repositories that a repository's index names, by what names them; null if that cannot be told. */
function linkedNow({ folder, gitFolder }: GuardedRepository): ReadonlyMap<string, string> | null {
  const links = readGitlinks(join(gitFolder, 'index'))
  if (!links.ok) return null
  try {
    const named = findNamedByIndex(folder, links)
    const there = named.filter(({ folder: inner }) => kindOrMissing(join(inner, '.git')) !== 'missing')
    return new Map(there.map((one) => [`${one.tree ?? ''} ${one.folder}`, one.folder]))
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return null
    throw thrown
  }
}

function findNewLinks(
  repository: GuardedRepository,
  before: ReadonlyMap<string, string> | null,
): readonly Offence[] {
  const now = linkedNow(repository)
  if (now === null) {
    if (before === null) return []
    return [
      { path: join(repository.gitFolder, 'index'), why: "A sandboxed command left git's index unreadable." },
    ]
  }
  const added = [...now].flatMap(([by, folder]) => (before?.has(by) === true ? [] : folder))
  return added.map((path) => ({
    path: join(path, '.git'),
    why: 'A sandboxed command added a repository to the index: `git status` would follow its configuration.',
  }))
}

/** Whether a link is not what it was. One that is gone may come back, such as by a checkout, and git then runs what it finds. */
function isRedirected({ path, target }: GuardedLink): boolean {
  return readLink(path) !== target
}
