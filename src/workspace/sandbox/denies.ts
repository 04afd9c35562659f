import { DEFAULT_DENIED_PATTERNS, SAMPLE_ENVIRONMENT, SYSTEM_SECRETS } from '../../config/fixed-values.ts'
import { once } from '../../core/memoize.ts'
import { PROJECT_CONFIG_NAME } from '../../host/fs/folders.ts'
import { absoluteOf, folderOf, joinRel, nameOf, partsOf } from '../../host/root/rel-path.ts'
import { BESIDE_PREFIX } from '../../host/layer/layer-places.ts'
import { compileDeny, foldName, indexDenies } from './deny-rule.ts'
import type { DenyRule } from './deny-rule.ts'

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

/** A judged folder: the parts of its path in folded form, and the pattern that denies it. */
interface Judged {
  readonly folded: readonly string[]
  readonly hit: string | null
}

interface JudgedPath {
  readonly rootPath: string
  readonly rel: string
  /** Whether it lies above the root, where patterns that start at the root do not apply. */
  readonly isAbove: boolean
  /** Whether the root may contain the system's own secrets. */
  readonly isWide: boolean
}

/**
 * Compiles the denies. Git's own folder and the configuration of a project, wherever it is, are never writable, and layers
 * are never touched, even without the default denies.
 */
export function createDenies(patterns: readonly string[], includeDefaults: boolean): Denies {
  const all = [...(includeDefaults ? DEFAULT_DENIED_PATTERNS : []), ...patterns]
  const index = indexDenies(all.map(compileDeny))
  // Compiled on demand, because few roots can contain these files.
  const systemRules = once(() => (includeDefaults ? SYSTEM_SECRETS.map(compileDeny) : []))
  const views = new Map<string, (rel: string) => string | null>()

  /** Judges the last part of a path, after its folder. Most names end at the first return. */
  const judgeLast = (folder: Judged, last: string, path: JudgedPath, isWrite: boolean): string | null => {
    if (last.startsWith(BESIDE_PREFIX)) return LAYERS_PATTERN
    const kept = isWrite ? findKeptWrite(last) : includeDefaults ? findGitRead(folder.folded, last) : null
    const rules = index.candidates(last)
    if (kept !== null || (rules.length === 0 && !path.isWide)) return kept
    const folded = [...folder.folded, last]
    const absolute = absoluteOf(path.rootPath, path.rel)
    const rel = path.isAbove ? NOT_BELOW : path.rel
    for (const rule of path.isWide ? [...rules, ...systemRules()] : rules) {
      if (rule.matches(folded, absolute, rel) && !isSample(rule, last)) return rule.pattern
    }
    return null
  }

  const judgeFolder = (folder: Judged, path: JudgedPath, isWrite: boolean): Judged => {
    const last = foldName(nameOf(path.rel))
    return { folded: [...folder.folded, last], hit: folder.hit ?? judgeLast(folder, last, path, isWrite) }
  }

  /** Judges the paths of one root; folders are cached, because listings ask about every entry of a folder. */
  const viewOf = (rootPath: string, isWrite: boolean): ((rel: string) => string | null) => {
    const isWide = HOLDS_SYSTEM_SECRETS.test(rootPath)
    const cache = new Map<string, Judged>()
    let top: Judged = { folded: [], hit: null }
    for (const above of pathsTo(rootPath)) {
      top = judgeFolder(top, { rootPath: '/', rel: above, isAbove: true, isWide }, isWrite)
    }
    const judgeCached = (rel: string): Judged => {
      const unknown: string[] = []
      let known = rel
      while (known !== '' && !cache.has(known)) {
        unknown.push(known)
        known = folderOf(known)
      }
      let folder = cache.get(known) ?? top
      if (cache.size > MAX_CACHED) cache.clear()
      for (const at of unknown.toReversed()) {
        folder = judgeFolder(folder, { rootPath, rel: at, isAbove: false, isWide }, isWrite)
        cache.set(at, folder)
      }
      return folder
    }
    return (rel) => {
      if (rel === '') return top.hit
      const folder = judgeCached(folderOf(rel))
      if (folder.hit !== null) return folder.hit
      return judgeLast(folder, foldName(nameOf(rel)), { rootPath, rel, isAbove: false, isWide }, isWrite)
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

/** The relative path of something above the root: no pattern that starts at the root matches this. */
const NOT_BELOW = '\0'

/** Every folder on the way to an absolute path and the path itself, relative to the top. */
function pathsTo(absolute: string): readonly string[] {
  const paths: string[] = []
  for (const name of partsOf(absolute.slice(1))) paths.push(joinRel(paths.at(-1) ?? '', name))
  return paths
}

function isSample(rule: DenyRule, last: string): boolean {
  return rule.pattern === ENVIRONMENT_PATTERN && SAMPLE_ENVIRONMENT.test(last)
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

/** The pattern that denies reading a part of git's own folder; takes the folder above and a name, folded. */
function findGitRead(folder: readonly string[], last: string): string | null {
  if (!SECRET.has(last)) return null
  const git = folder.findIndex((name) => GIT_NAMES.has(name))
  if (git === -1) return null
  if (git === folder.length - 1) return `**/.git/${last}`
  const within = folder[git + 1] ?? ''
  return NESTING.has(within) ? `**/.git/${within}/**/${last}` : null
}
