import { DEFAULT_DENIED_PATTERNS, SAMPLE_ENVIRONMENT, SYSTEM_SECRETS } from '../../config/fixed-values.ts'
import { once } from '../../core/memoize.ts'
import { PROJECT_CONFIG_NAME } from '../../host/fs/folders.ts'
import { folderOf, nameOf, partsOf } from '../../host/root/rel-path.ts'
import { BESIDE_PREFIX } from '../../host/layer/layer-places.ts'
import { startDenies } from './deny-machine.ts'
import type { DenyPlace } from './deny-machine.ts'
import { compileDeny, foldName } from './deny-rule.ts'

/** What a caller wants to do with a path. */
export type Intent = 'read' | 'write' | 'list'

/** What no path tool may touch, even inside the allowed roots. */
export interface Denies {
  readonly patterns: readonly string[]
  /** The pattern that denies a path below a root, or null. A denied folder denies its whole content. */
  readonly find: (rootPath: string, rel: string, intent: Intent) => string | null
}

const HOLDS_SYSTEM_SECRETS = /^\/(?:$|etc(?:\/|$)|proc(?:\/|$))/

/** The layers of other roots: what commands changed there has not been judged yet. */
const LAYERS_PATTERN = `**/${BESIDE_PREFIX}*/**`

const ENVIRONMENT_PATTERN = '**/.env.*'

/** A full cache is emptied: it only saves work. */
const MAX_CACHED = 512
/** Several times as many as a path has parts, so that one path never fills the cache. */
const MAX_JUDGED = 16_384

/** A judged folder: how far patterns have come with it, and the one that denies it. */
interface Judged {
  readonly place: DenyPlace
  /** The first name in git's own folder, folded; '' for that folder itself, and null outside of one. */
  readonly inGit: string | null
  readonly hit: string | null
  /** What has been judged in it, by the name as it is. */
  readonly below: Map<string, Judged>
}

/**
 * Compiles the denies. Git's own folder and the configuration of a project, wherever it is, are never writable, and layers
 * are never touched, even without the default denies.
 */
export function createDenies(patterns: readonly string[], includeDefaults: boolean): Denies {
  const all = [...(includeDefaults ? DEFAULT_DENIED_PATTERNS : []), ...patterns]
  const rules = all.map(compileDeny)
  const start = once(() => startDenies(rules))
  // Compiled on demand, because few roots can contain these files.
  const wideStart = once(() =>
    includeDefaults ? startDenies([...rules, ...SYSTEM_SECRETS.map(compileDeny)]) : start(),
  )
  const views = new Map<string, (rel: string) => string | null>()

  /** Judges a name in a folder, as it is and in folded form. */
  const judgeName = (folder: Judged, place: DenyPlace, folded: string, isWrite: boolean): string | null => {
    if (folded.startsWith(BESIDE_PREFIX)) return LAYERS_PATTERN
    const kept = isWrite ? findKeptWrite(folded) : includeDefaults ? findGitRead(folder.inGit, folded) : null
    if (kept !== null) return kept
    return place.hits.find(({ pattern }) => !isSample(pattern, folded))?.pattern ?? null
  }

  const judgeFolder = (folder: Judged, name: string, isWrite: boolean): Judged => {
    const folded = foldName(name)
    const place = folder.place.enter(name, folded)
    const hit = folder.hit ?? judgeName(folder, place, folded, isWrite)
    return { place, inGit: inGitBelow(folder.inGit, folded), hit, below: new Map() }
  }

  /** Judges the paths of one root; folders are cached, because listings ask about every entry of a folder. */
  const viewOf = (rootPath: string, isWrite: boolean): ((rel: string) => string | null) => {
    const place = HOLDS_SYSTEM_SECRETS.test(rootPath) ? wideStart() : start()
    let top: Judged = { place, inGit: null, hit: null, below: new Map() }
    for (const name of partsOf(rootPath.slice(1))) top = judgeFolder(top, name, isWrite)
    top = { ...top, place: top.place.asRoot() }
    const cache = new Map<string, Judged>([['', top]])
    let judged = 0
    /** Goes down name by name, so that a path costs no more than it has parts, however deep its folder is. */
    const judgeCached = (rel: string): Judged => {
      const known = cache.get(rel)
      if (known !== undefined) return known
      let folder = top
      for (const name of partsOf(rel)) {
        let below = folder.below.get(name)
        if (below === undefined) {
          if (++judged > MAX_JUDGED) {
            top.below.clear()
            judged = 0
          }
          below = judgeFolder(folder, name, isWrite)
          folder.below.set(name, below)
        }
        folder = below
      }
      if (cache.size > MAX_CACHED) cache.clear()
      cache.set(rel, folder)
      return folder
    }
    return (rel) => {
      if (rel === '') return top.hit
      const folder = judgeCached(folderOf(rel))
      if (folder.hit !== null) return folder.hit
      const name = nameOf(rel)
      const folded = foldName(name)
      return judgeName(folder, folder.place.enter(name, folded), folded, isWrite)
    }
  }

  return {
    patterns: all,
    find: (rootPath, rel, intent) => {
      const isWrite = intent === 'write'
      const key = isWrite ? `w${rootPath}` : `r${rootPath}`
      let view = views.get(key)
      if (view === undefined) {
        view = viewOf(rootPath, isWrite)
        if (views.size > MAX_CACHED) views.clear()
        views.set(key, view)
      }
      return view(rel)
    },
  }
}

function isSample(pattern: string, folded: string): boolean {
  return pattern === ENVIRONMENT_PATTERN && SAMPLE_ENVIRONMENT.test(folded)
}

/** What can run code or holds keys, wherever git keeps it. */
const SECRET = new Set(['config', 'config.lock', 'config.worktree', 'credentials', 'hooks'])
/** Folders of a repository that contain other repositories, each with these files again. */
const NESTING = new Set(['modules', 'worktrees'])
/** The second is the short name of the first on Windows. */
const GIT_NAMES = new Set(['.git', 'git~1'])

/**
 * The pattern that denies writing git's own folder, or the file in its place, or what forbids something to sessions whose
 * root is that folder; takes a folded name.
 */
function findKeptWrite(last: string): string | null {
  if (last === PROJECT_CONFIG_NAME) return `**/${PROJECT_CONFIG_NAME}`
  return GIT_NAMES.has(last) ? '**/.git/**' : null
}

/** The pattern that denies reading a part of git's own folder; takes the first name in it and the last one, folded. */
function findGitRead(inGit: string | null, last: string): string | null {
  if (inGit === null || !SECRET.has(last)) return null
  if (inGit === '') return `**/.git/${last}`
  return NESTING.has(inGit) ? `**/.git/${inGit}/**/${last}` : null
}

/** The first name in git's own folder of what has a folded name in a folder. */
function inGitBelow(inGit: string | null, folded: string): string | null {
  return inGit === '' ? folded : (inGit ?? (GIT_NAMES.has(folded) ? '' : null))
}
