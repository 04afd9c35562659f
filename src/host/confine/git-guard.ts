import { existsSync, renameSync, watch } from 'node:fs'
import type { FSWatcher } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { GuardPlan, GuardedRepository, MovedAside } from './confinement.ts'
import { readGitlinks } from './git-index.ts'
import { isRealFolder, kindOrMissing } from './inspect-path.ts'

/** Watches the names that would let a command decide what git runs outside of its sandbox. */
export interface GitGuard {
  /** Moves what should not be there aside. Call it when nothing of the command is left alive. */
  readonly moveAside: () => readonly MovedAside[]
  readonly close: () => void
}

interface Offence {
  readonly path: string
  readonly why: string
}

const SHELL_OF_A_REPOSITORY = ['HEAD', 'objects', 'refs'] as const
const MAX_SET_ASIDE = 1000

/** Starts watching; `onOffence` is called at once when something forbidden appears, for the command to be stopped. */
export function guardGit(plan: GuardPlan, onOffence: () => void): GitGuard {
  const known = new Map(plan.repositories.map((repository) => [repository, linkedNow(repository)]))
  const roots = plan.roots.filter((root) => !isBare(root))

  const findOffences = (): readonly Offence[] => [
    ...plan.forbidden
      .map((path) => findLink(plan, path) ?? path)
      .filter((path) => kindOrMissing(path) !== 'missing')
      .map((path) => ({
        path,
        why: `A sandboxed command may not make ${basename(path)}: it decides what git does.`,
      })),
    ...roots.filter(isBare).map((root) => ({
      path: join(root, 'HEAD'),
      why: 'A sandboxed command may not turn the workspace into a repository of its own.',
    })),
    ...plan.repositories.flatMap((repository) =>
      findNewLinks(repository, known.get(repository) ?? new Set()),
    ),
  ]

  const folders = new Set([
    ...roots,
    ...plan.forbidden.map(dirname),
    ...plan.repositories.map(({ gitFolder }) => gitFolder),
  ])
  const names = new Set<string>([
    ...plan.forbidden.map((path) => basename(path)),
    ...SHELL_OF_A_REPOSITORY,
    'index',
  ])
  const watchers: FSWatcher[] = []
  let isOver = false
  const check = (name: string | null): void => {
    if (isOver || (name !== null && !names.has(name)) || findOffences().length === 0) return
    isOver = true
    onOffence()
  }
  for (const folder of folders) {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => check(name))
      watcher.on('error', () => watcher.close())
      watchers.push(watcher)
    } catch {
      // Where watches are used up or the folder is gone, the look at the end is what remains.
    }
  }
  return {
    moveAside: () => findOffences().map(setAside),
    close: () => {
      isOver = true
      for (const watcher of watchers) watcher.close()
    },
  }
}

/** A link on the way to a forbidden name: what lies behind it is not ours to touch, and it redirects git by itself. */
function findLink({ roots, repositories }: GuardPlan, path: string): string | null {
  const bases = new Set([...roots, ...repositories.map(({ gitFolder }) => gitFolder)])
  let link: string | null = null
  for (let at = dirname(path); !bases.has(at) && at !== dirname(at); at = dirname(at))
    if (kindOrMissing(at) === 'link') link = at
  return link
}

/** Moving keeps whatever somebody may still want, and git does not find it under its new name. */
function setAside({ path, why }: Offence): MovedAside {
  for (let number = 0; number < MAX_SET_ASIDE; number++) {
    const movedTo = `${path}.refused${number === 0 ? '' : `-${number}`}`
    if (kindOrMissing(movedTo) !== 'missing') continue
    try {
      renameSync(path, movedTo)
      return { path, movedTo, why }
    } catch {
      break
    }
  }
  return { path, movedTo: null, why }
}

/** The paths at which a repository's index names others that are really there; null where the index makes no sense. */
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
    why: 'A sandboxed command added a repository to the index: `git status` would obey its configuration.',
  }))
}

function isBare(folder: string): boolean {
  return SHELL_OF_A_REPOSITORY.every((name) => existsSync(join(folder, name)))
}
