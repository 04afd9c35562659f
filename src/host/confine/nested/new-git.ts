import { lstatSync } from 'node:fs'
import { basename, join } from 'node:path'
import { readFolderNames } from '../../fs/folders.ts'
import { REPOSITORY_NAMES, isTakenForBare } from '../../git/find-repositories.ts'
import type { ConfinedWorkspace, GitBelow, MovedAside, NewGit } from '../confinement.ts'
import { disarmBelow } from '../disarm.ts'
import { kindOrMissing } from '../inspect-path.ts'
import { openFolder, setAside } from '../set-aside.ts'

/** In git's folder, harmless as long as they are empty. */
const FILLED_LATER = ['modules', 'worktrees'] as const
/** What one folder needs at most until git no longer takes it for a repository. */
const MOST_MOVES = REPOSITORY_NAMES.length + 1

const NO_REPOSITORIES = 'Sandboxed commands may not make git repositories: git obeys their configuration.'

type Look = NonNullable<ConfinedWorkspace['gitBelow']>

/** Remembers which repositories are below some folders, to find those that a command makes. */
export function watchNewGit(tops: readonly string[], before: readonly GitBelow[], look: Look): NewGit {
  const known = new Set(
    before.flatMap(({ repositories }) => repositories.filter((path) => nextOf(path) !== null)),
  )
  const isBareKnown = before.every(({ bare }) => bare !== undefined)
  const knownBare = new Set(before.flatMap(({ bare = [] }) => bare))
  /** A folder may have had something in the place of git's folder that git passes over, and is one itself by now. */
  const isNewBare = (path: string): boolean => isBareKnown && known.has(path) && !knownBare.has(path)
  const isInnerKnown = before.every(({ inner }) => inner !== undefined)
  const knownInner = new Set(before.flatMap(({ inner = [] }) => inner))
  const isNewInner = (path: string): boolean => isInnerKnown && !knownInner.has(path)
  const hidden = new Set(before.flatMap(({ unseen, unreadable }) => [...unseen, ...unreadable]))
  const unfilled = [...known].flatMap((folder) =>
    [join(folder, '.git'), folder]
      .filter((git) => kindOrMissing(join(git, 'HEAD')) !== 'missing')
      .flatMap((git) => FILLED_LATER.map((name) => join(git, name)))
      .filter((path) => kindOrMissing(path) === 'missing'),
  )

  /** What is new, and how to set back the modes of folders that had to be opened. */
  const find = () => {
    const found = {
      repositories: [] as string[],
      bare: [] as string[],
      unreadable: [] as string[],
      uncounted: [] as string[],
    }
    const undo: (() => void)[] = []
    const seen = new Set(hidden)
    const waiting = [...tops]
    for (const folder of waiting) {
      const now = look(folder)
      if (now === null) found.uncounted.push(folder)
      found.repositories.push(
        ...(now?.repositories ?? []).filter((path) => !known.has(path) && nextOf(path) !== null),
      )
      found.repositories.push(...(now?.inner ?? []).filter(isNewInner))
      found.bare.push(...(now?.bare ?? []).filter(isNewBare))
      found.unreadable.push(...(now?.unreadable ?? []).filter((path) => !hidden.has(path)))
      // The command did not see what was hidden from it, but it may have made and closed something of that name itself.
      for (const path of now?.unseen ?? []) {
        if (seen.has(path) || kindOrMissing(path) !== 'folder') continue
        seen.add(path)
        undo.push(openFolder(path))
        waiting.push(path)
      }
    }
    const filled = unfilled.filter(isFilled)
    return { ...found, filled, restore: () => undo.toReversed().forEach((act) => act()) }
  }

  return {
    isThere() {
      const { repositories, bare, unreadable, uncounted, filled, restore } = find()
      restore()
      return repositories.length + bare.length + unreadable.length + uncounted.length + filled.length > 0
    },
    moveAside() {
      const { repositories, bare, unreadable, uncounted, filled, restore } = find()
      const moved = [
        ...[...new Set(repositories)].flatMap((folder) => unmake(folder, nextOf)),
        ...[...new Set(bare)].flatMap((folder) => unmake(folder, nextBareOf)),
        ...filled.map((path) =>
          late(
            path,
            setAside(path),
            `Sandboxed commands may not fill ${basename(path)}: it controls what git runs.`,
          ),
        ),
        ...unreadable.flatMap(unmakeUnreadable),
        ...uncounted.map((path) =>
          late(path, null, 'It has too many folders to look for new git repositories in it.'),
        ),
      ]
      restore()
      return moved
    },
  }
}

/** Renames what makes a folder a repository, the newest first: the rest may have been there before. */
function unmake(folder: string, next: typeof nextOf): readonly MovedAside[] {
  const moved: MovedAside[] = []
  for (let left = MOST_MOVES; left > 0; left--) {
    const path = next(folder)
    if (path === null) break
    const movedTo = setAside(path)
    moved.push(late(path, movedTo, NO_REPOSITORIES))
    if (movedTo === null) break
  }
  return moved
}

/** The same for repositories below names that are not UTF-8, by which no path of this program leads to them. */
function unmakeUnreadable(folder: string): readonly MovedAside[] {
  try {
    const moved = disarmBelow(folder, ({ exactName }) => !exactName.isWellFormed())
    return moved.map(({ path, movedTo }) => late(path, movedTo, NO_REPOSITORIES))
  } catch {
    return [late(folder, null, 'Something with an unreadable name in it may be a new git repository.')]
  }
}

/** Whether git would look at what stands in the place of its folder. */
function isEntry(git: string): boolean {
  return ['file', 'folder', 'link'].includes(kindOrMissing(git))
}

function nextOf(folder: string): string | null {
  const git = join(folder, '.git')
  return isEntry(git) ? git : nextBareOf(folder)
}

function nextBareOf(folder: string): string | null {
  if (!isTakenForBare(folder)) return null
  const names = REPOSITORY_NAMES.map((name) => join(folder, name)).filter(
    (path) => kindOrMissing(path) !== 'missing',
  )
  const [newest = null] = names.toSorted((a, b) => changedAt(b) - changedAt(a))
  return newest
}

/** When something was made, renamed or changed; a command cannot set it back. */
function changedAt(path: string): number {
  return lstatSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0
}

function isFilled(path: string): boolean {
  const kind = kindOrMissing(path)
  if (kind !== 'folder') return kind !== 'missing'
  return (readFolderNames(path) ?? []).length > 0
}

function late(path: string, movedTo: string | null, why: string): MovedAside {
  return { path, movedTo, why, isLate: true }
}
