import { DECISIVE_FILES, DECISIVE_FOLDERS, NEVER_NEW } from '../../../host/confine/git-mounts.ts'
import { isBelow } from '../../../host/confine/mount.ts'
import { createEffort } from '../../../host/git/follow/effort.ts'
import {
  BARE_NAMES,
  isBareByNames,
  isTakenForBare,
  missingParts,
  repositoryAt,
  REPOSITORY_NAMES,
} from '../../../host/git/find-repositories.ts'
import { createFindGitPlace, findGitPlaces } from '../../../host/git/git-places.ts'
import type { FindGitPlace, GitPlace, GitPlaces } from '../../../host/git/git-places.ts'
import type { LayerChange } from '../../../host/layer/layer-change.ts'
import { absoluteOf, folderOf, joinRel, nameOf, partsOf, relativeTo } from '../../../host/root/rel-path.ts'
import type { Root } from '../../../host/root/root.ts'
import { statPlain } from '../../../host/root/stat-plain.ts'
import { foldName } from '../../sandbox/deny-rule.ts'
import { innermostGit } from './inner-git.ts'
import type { GitFolder } from './inner-git.ts'

/** Says why a change must not land because of git, as the end of a sentence; null if nothing speaks against it. */
export type FindGitFault = (change: LayerChange) => string | null

/** What the changes of one root are judged by. */
export interface GitJudgeOptions {
  readonly lower: Root
  readonly roots: readonly string[]
  readonly changes: ReadonlyMap<string, LayerChange>
  /** The folders in the roots that have the names of a repository; they are asked for only if something is made. */
  readonly namedLikeGit: () => readonly string[]
  /** What decided about git when the commands started; they may have removed why. */
  readonly firstPlaces: readonly GitPlace[]
  readonly home?: string
}

const GIT_NAMES = new Set(['.git', 'git~1'])
/** What decides over git in its own folder; `config.lock` becomes `config` at the next change of it. */
const DECISIVE = new Set<string>([
  ...DECISIVE_FILES,
  ...DECISIVE_FOLDERS,
  ...NEVER_NEW,
  'config.lock',
  'credentials',
  // Where the work tree of a linked one is.
  'gitdir',
])
const NEW_REPOSITORY = 'it would be a new git repository, whose configuration git obeys'
const PART_OF_REPOSITORY = 'it is part of what makes its folder a git repository, and only all of that can go'
const CONTROLS_GIT = 'it controls what git runs'

/**
 * Judges changes by the same list that path tools and the sandbox use. In the folder of an existing repository, and in those
 * of its submodules and linked work trees, everything may change that does not decide what git runs, so that commits land;
 * a new repository is not made.
 */
export function createFindGitFault(options: GitJudgeOptions): FindGitFault {
  const { lower, changes } = options
  const bare = findNewBare(lower, changes).union(findMissingParts(options))
  const needed = findTakenOut(lower, changes)
  const placesOf = createPlacesOf(options)
  const odd = new Map<string, boolean>()

  const isOddFolder = (folder: GitFolder): boolean => {
    const known = odd.get(folder.path) ?? isOdd(lower, folder)
    odd.set(folder.path, known)
    return known
  }

  const inGitFolder = (git: string, { path, before, after }: LayerChange): string | null => {
    const kind = statPlain(lower, git)?.kind
    if (kind === undefined) return NEW_REPOSITORY
    const folder = innermostGit(lower, git, path)
    if (path === folder.path) return before?.kind === 'dir' && after?.kind === 'dir' ? null : CONTROLS_GIT
    if (kind !== 'dir' || isOddFolder(folder)) return CONTROLS_GIT
    const inner = path.slice(folder.path.length + 1)
    return isDecisive(inner) || leadsElsewhere(inner, after) ? CONTROLS_GIT : null
  }

  const atNamedPlace = ({ path, after }: LayerChange): string | null => {
    const found = placesOf(path)
    if (!found.ok) return `it is unknown what git would run here: ${found.why}`
    const absolute = absoluteOf(lower.path, path)
    const isProgram = after?.kind === 'file' && (after.mode & ANY_EXECUTE) !== 0
    const place = isProgram ? found.findForProgram(absolute) : found.find(absolute)
    if (place !== null) {
      const rel = relativeTo(place.path, absolute) ?? ''
      const isOnlyWritten =
        place.isGitFolder &&
        rel !== '' &&
        !isDecisive(rel) &&
        !leadsElsewhere(rel, after) &&
        !DECISIVE.has(nameOf(place.path))
      return isOnlyWritten ? null : place.why
    }
    // A link above such a place would put what it leads to there.
    const below =
      after?.kind === 'symlink' ? found.places.find((one) => isBelow(one.path, absolute)) : undefined
    return below === undefined ? null : `${below.path} would lead elsewhere, and ${below.why}`
  }

  return (change) => {
    const git = gitFolderOf(change.path)
    const fault = git === null ? null : inGitFolder(git, change)
    if (fault !== null) return fault
    if (bare.has(change.path)) return NEW_REPOSITORY
    if (needed.has(change.path)) return PART_OF_REPOSITORY
    // The settings may name files and folders in git's own folder too.
    return atNamedPlace(change)
  }
}

/** Protected places that many paths are compared with. */
interface SearchedPlaces {
  readonly ok: true
  readonly places: readonly GitPlace[]
  readonly find: FindGitPlace
  /** The same for a file that is made a program. */
  readonly findForProgram: FindGitPlace
}

function searched(found: Extract<GitPlaces, { readonly ok: true }>): SearchedPlaces {
  const { places, links, dormant } = found
  let forProgram: FindGitPlace | null = null
  return {
    ok: true,
    places,
    find: createFindGitPlace(found),
    findForProgram(absolute) {
      forProgram ??= createFindGitPlace({ places: [...places, ...dormant], links })
      return forProgram(absolute)
    },
  }
}

/** The outermost part of a path that is named like git's own folder. */
export function gitFolderOf(path: string): string | null {
  if (!/git/i.test(path)) return null
  const parts = partsOf(path)
  const at = parts.findIndex((name) => GIT_NAMES.has(foldName(name)))
  return at === -1 ? null : parts.slice(0, at + 1).join('/')
}

function isDecisive(inner: string): boolean {
  const folded = partsOf(inner).map(foldName)
  return [...DECISIVE].some((name) => isBelow(folded.join('/'), name))
}

/**
 * Whether something in git's folder would lead elsewhere: a link, which git has no need of, or a file in the place of a
 * folder that what decides over git is in.
 */
function leadsElsewhere(inner: string, after: LayerChange['after']): boolean {
  if (after === null || after.kind === 'dir') return false
  if (after.kind === 'symlink') return true
  const folded = partsOf(inner).map(foldName).join('/')
  return [...DECISIVE].some((name) => name !== folded && isBelow(name, folded))
}

/** A link in the place of what decides over git leads to where no name protects it. */
function isOdd(lower: Root, { path, isLinked }: GitFolder): boolean {
  const kindOf = (name: string): string => statPlain(lower, joinRel(path, name))?.kind ?? 'missing'
  return (
    (!isLinked && kindOf('commondir') !== 'missing') ||
    DECISIVE_FILES.some((name) => !['file', 'missing'].includes(kindOf(name))) ||
    [...DECISIVE_FOLDERS, 'objects', 'objects/info'].some(
      (name) => !['dir', 'missing'].includes(kindOf(name)),
    )
  )
}

/** The new folders that git would take for repositories, or what makes an existing folder one. */
function findNewBare(lower: Root, changes: ReadonlyMap<string, LayerChange>): ReadonlySet<string> {
  const found = new Set<string>()
  const isThere = (path: string): boolean => {
    const change = changes.get(path)
    return change === undefined ? statPlain(lower, path) !== null : change.after !== null
  }
  const tried = new Set<string>()
  for (const { path, after } of changes.values()) {
    const folder = folderOf(path)
    if (after === null || !isRepositoryName(nameOf(path)) || tried.has(folder)) continue
    tried.add(folder)
    if (isGitsOwn(lower, path)) continue
    const at = (name: string): string => joinRel(folder, name)
    if (!isBareByNames((name) => isThere(at(name))) || isTakenForBare(absoluteOf(lower.path, folder)))
      continue
    const isNew = folder !== '' && changes.get(folder)?.before === null
    if (isNew && BARE_NAMES.every((name) => isThere(at(name)))) found.add(folder)
    else for (const name of REPOSITORY_NAMES) if (isMade(changes.get(at(name)))) found.add(at(name))
  }
  for (const { path, before, after } of changes.values())
    if (before === null && after !== null && helpsToMake(path, lower, changes)) found.add(path)
  return found
}

/**
 * What is taken out of a repository of which the rest stays: it would be none, and what is written there then is not what
 * may be in one when the name is put back.
 */
function findTakenOut(lower: Root, changes: ReadonlyMap<string, LayerChange>): ReadonlySet<string> {
  const stays = (path: string): boolean => !changes.has(path) && statPlain(lower, path) !== null
  const taken = [...changes.values()].filter(({ path, before, after }) => {
    if (before === null || after !== null || !isRepositoryName(nameOf(path))) return false
    const folder = folderOf(path)
    if (changes.get(folder)?.after === null || gitFolderOf(path) !== null) return false
    const others = [...REPOSITORY_NAMES, 'config'].map((name) => joinRel(folder, name))
    return others.some(stays) && isTakenForBare(absoluteOf(lower.path, folder))
  })
  return new Set(taken.map(({ path }) => path))
}

/** Whether a name is directly in git's folder, or in that of a submodule or a linked work tree that was there before. */
function isGitsOwn(lower: Root, path: string): boolean {
  const git = gitFolderOf(path)
  return git !== null && innermostGit(lower, git, path).path === folderOf(path)
}

/** What would complete a folder that lacks only what its links, or its `commondir`, lead to. */
function findMissingParts({ lower, changes, namedLikeGit }: GitJudgeOptions): ReadonlySet<string> {
  const found = new Set<string>()
  const made = new Set([...changes.values()].filter(isMade).map(({ path }) => path))
  if (made.size === 0) return found
  const effort = createEffort()
  for (const part of namedLikeGit().flatMap((folder) => missingParts(folder, effort)))
    for (let at = relativeTo(lower.path, part) ?? ''; at !== ''; at = folderOf(at))
      if (made.has(at)) found.add(at)
  return found
}

/**
 * Whether a new name would help to make a folder a repository, now or with what lands later, as path tools judge it: `HEAD`
 * is hardly ever anything else, and beside it git needs the other names, or a file that says where they are.
 */
function helpsToMake(path: string, lower: Root, changes: ReadonlyMap<string, LayerChange>): boolean {
  const name = foldName(nameOf(path))
  if (!MAKES_REPOSITORY.has(name) || gitFolderOf(path) !== null) return false
  const folder = folderOf(path)
  if (isTakenForBare(absoluteOf(lower.path, folder))) return false
  const head = joinRel(folder, 'HEAD')
  return name === foldName('HEAD') || lower.stat(head) !== null || changes.has(head)
}

/** What a folder needs for git to take it for a repository. */
const MAKES_REPOSITORY: ReadonlySet<string> = new Set(REPOSITORY_NAMES.map(foldName))

function isRepositoryName(name: string): boolean {
  return REPOSITORY_NAMES.some((one) => one === name)
}

/**
 * Whether a change makes something that was not there as such; a `HEAD` and a link also by what they say, and a file by
 * its mode, as git takes a program for a folder.
 */
function isMade(change: LayerChange | undefined): boolean {
  if (change === undefined || change.after === null) return false
  const { kind, mode } = change.after
  if (change.before?.kind !== kind || kind === 'symlink' || nameOf(change.path) === 'HEAD') return true
  return kind === 'file' && (mode & ~change.before.mode & ANY_EXECUTE) !== 0
}

const ANY_EXECUTE = 0o111

/** The protected places for a path: they depend only on the repositories on the way to it, now and at the start. */
function createPlacesOf({ lower, roots, home, firstPlaces }: GitJudgeOptions) {
  const places = new Map<string, SearchedPlaces | Extract<GitPlaces, { readonly ok: false }>>()
  const holders = new Map<string, string>()

  const holderOf = (folder: string): string => {
    const known = holders.get(folder)
    if (known !== undefined) return known
    const isOne = folder === '' || (statPlain(lower, folder)?.kind === 'dir' && isRepository(lower, folder))
    const found = isOne ? folder : holderOf(folderOf(folder))
    holders.set(folder, found)
    return found
  }

  return (path: string) => {
    const holder = holderOf(folderOf(path))
    const known = places.get(holder)
    if (known !== undefined) return known
    const now = findGitPlaces(roots, absoluteOf(lower.path, holder), home)
    const found = now.ok ? searched({ ...now, places: [...now.places, ...firstPlaces] }) : now
    places.set(holder, found)
    return found
  }
}

function isRepository(lower: Root, folder: string): boolean {
  return repositoryAt(absoluteOf(lower.path, folder)) !== null
}
