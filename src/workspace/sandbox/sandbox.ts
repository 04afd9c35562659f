import { failure, ToolFailure } from '../../core/error.ts'
import type { EntryKind } from '../../core/powers.ts'
import { collapse, MAX_LINKS } from '../../host/root/resolve-links.ts'
import { leadsOutside } from '../../host/root/io-failure.ts'
import { absoluteOf, partsOf, relativeTo, showPath } from '../../host/root/rel-path.ts'
import type { Resolved, Root } from '../../host/root/root.ts'
import { createDenies } from './denies.ts'
import type { Denies, Intent } from './denies.ts'
import { listedPaths } from './listed-names.ts'
import { createFindOwn } from './own-paths.ts'
import type { OwnPath } from './own-paths.ts'
import { badPath, findNewNameFault, goesUp, parsePathArgument } from './path-argument.ts'

/** How a sandbox is built; the roots are open, so their paths are canonical. */
export interface SandboxOptions {
  /** The first is where relative paths start. */
  readonly roots: readonly [Root, ...Root[]]
  /** The folder of the project. Patterns start there too, whether it is a root or only contains some. */
  readonly project?: string
  /** True if no folder is allowed: the first root only says where paths would start. */
  readonly isClosed?: boolean
  readonly deniedPatterns: readonly string[]
  readonly allowAbsolute: boolean
  readonly includeDefaultDenies: boolean
  /** Why a path must not be written although no pattern denies it, or null. */
  readonly findProtection?: (absolute: string) => Protection | null
  /** What belongs to Tongs itself, denied whatever the settings say. */
  readonly own?: readonly OwnPath[]
}

/** A file or folder that must not be written, and why, as the end of a sentence. */
export interface Protection {
  /** Null if it is unknown what has to be protected, so that nothing may be written. */
  readonly path: string | null
  readonly why: string
}

/** A path that passed the sandbox; everything afterwards uses this and not the argument. */
export interface Located {
  /** The most specific root that holds it. */
  readonly root: Root
  /** Below `root`, without links; '' for the root itself. */
  readonly rel: string
  readonly absolute: string
  /** For people and models: relative to the first root if it lies there. */
  readonly display: string
  readonly kind: EntryKind | 'missing'
}

/** The folders that path tools may work in, and what is denied in them. */
export interface Sandbox {
  readonly roots: readonly [Root, ...Root[]]
  /** Locates a path argument; throws if it is refused. */
  readonly locate: (path: string, intent: Intent) => Located
  /** Whether a path without links lies in an allowed folder. */
  readonly holds: (absolute: string) => boolean
  /** All denied patterns; only `findDeny` knows the exceptions. */
  readonly deniedPatterns: readonly string[]
  /** The pattern that denies a path below a root, or null; denied entries are left out of listings. */
  readonly findDeny: (root: Root, rel: string, intent: Intent) => string | null
  /** The pattern that denies a path anywhere, always with the built-in ones; decides what may be granted to commands. */
  readonly findDenyOutside: (absolute: string, intent: Intent) => string | null
}

/** Builds a sandbox over open roots. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { roots, allowAbsolute, isClosed = false } = options
  const base = roots[0]
  const judges = [...new Set([...roots.map(({ path }) => path), options.project ?? base.path])]
  const denies = createDenies(options.deniedPatterns, options.includeDefaultDenies)
  const own = options.own ?? []
  const findOwn = createFindOwn(own)
  let outside: Denies | null = null
  const mostSpecificFirst = roots.toSorted((a, b) => b.path.length - a.path.length)
  const rootOf = (absolute: string): Root | undefined =>
    mostSpecificFirst.find((root) => relativeTo(root.path, absolute) !== null)

  /** Every folder that contains a path judges it, so an allowed folder inside a denied one stays denied. */
  const findDenyAt = (absolute: string, intent: Intent): string | null => {
    for (const judge of judges) {
      const rel = relativeTo(judge, absolute)
      const pattern = rel === null ? null : denies.find(judge, rel, intent)
      if (pattern !== null) return pattern
    }
    return own.length === 0 ? null : findOwn(absolute, intent)
  }

  const refuseDenied = (attempted: string, absolute: string, intent: Intent): void => {
    const pattern = findDenyAt(absolute, intent)
    if (pattern !== null) throw denied(attempted, pattern)
    const protection = intent === 'write' ? (options.findProtection?.(absolute) ?? null) : null
    if (protection !== null) throw isProtected(attempted, protection)
  }

  /** What a folder lists under another name than it is opened by is judged by that name as well. */
  const refuseAliases = (attempted: string, absolute: string, intent: Intent): void => {
    const root = rootOf(absolute)
    const rel = root === undefined ? null : relativeTo(root.path, absolute)
    if (root === undefined || rel === null) return
    const listed = listedPaths(root, rel)
    if (listed === null) throw new ToolFailure(badPath(attempted, UNLISTED))
    for (const one of listed) refuseDenied(attempted, absoluteOf(root.path, one), intent)
  }

  /** Follows a path, also from one root into another, until it ends in a root. */
  const follow = (attempted: string, start: string): { readonly absolute: string; readonly end: Inside } => {
    let target = start
    let linksLeft = MAX_LINKS
    for (;;) {
      let exit: Resolved | null = null
      for (const root of mostSpecificFirst) {
        const resolved = root.resolve(target, linksLeft)
        if (resolved.isInside) return { absolute: absoluteOf(root.path, resolved.rel), end: resolved }
        // Without a link on the way, the path does not pass through this root at all.
        if (resolved.links === 0) continue
        exit = resolved
        break
      }
      if (exit === null) throw leadsOutside(attempted, target)
      linksLeft -= exit.links
      target = exit.target
    }
  }

  const locate = (path: string, intent: Intent): Located => {
    const argument = parsePathArgument(path)
    if (!argument.ok) throw new ToolFailure(argument.error)
    const below = argument.parts.join('/')
    const requested = argument.isAbsolute ? `/${below}` : absoluteOf(base.path, below)
    if (isClosed) throw leadsOutside(path, requested, 'no folder is allowed')
    if (goesUp(path)) throw leadsOutside(path, collapse(requested), 'it goes up with ".."')
    if (argument.isAbsolute && !allowAbsolute)
      throw leadsOutside(path, requested, 'absolute paths are not allowed')

    refuseDenied(path, requested, intent)
    const { absolute, end } = follow(path, requested)
    if (absolute !== requested) refuseDenied(path, absolute, intent)
    refuseAliases(path, requested, intent)
    if (absolute !== requested) refuseAliases(path, absolute, intent)
    // An alias of the root that lies outside it: only patterns that apply anywhere can match it.
    const alias = rootOf(requested) === undefined ? denies.find(requested, '', intent) : null
    if (alias !== null) throw denied(path, alias)
    if (intent === 'write') checkNewNames(path, end)
    const root = rootOf(absolute) ?? base
    const rel = relativeTo(root.path, absolute) ?? ''
    return {
      root,
      rel,
      absolute,
      display: (relativeTo(base.path, absolute) ?? absolute) || '.',
      kind: end.kind,
    }
  }

  return {
    holds: (absolute) => !isClosed && rootOf(absolute) !== undefined,
    roots,
    deniedPatterns: denies.patterns,
    locate,
    findDeny: (root, rel, intent) =>
      judges.length === 1 && own.length === 0
        ? denies.find(root.path, rel, intent)
        : findDenyAt(absoluteOf(root.path, rel), intent),
    findDenyOutside(absolute, intent) {
      outside ??= options.includeDefaultDenies ? denies : createDenies(options.deniedPatterns, true)
      return outside.find('/', absolute.slice(1), intent)
    },
  }
}

const UNLISTED = 'a name in it opens something that its folder lists under no name'

type Inside = Extract<Resolved, { readonly isInside: true }>

function checkNewNames(path: string, end: Inside): void {
  const parts = partsOf(end.rel)
  for (const name of parts.slice(parts.length - end.missing)) {
    const fault = findNewNameFault(name)
    if (fault !== null) throw new ToolFailure(badPath(path, fault))
  }
}

/** The refusal of a path that a pattern denies. */
export function denied(attempted: string, pattern: string): ToolFailure {
  return failure(
    'denied_pattern',
    `${showPath(attempted)} is denied by the pattern ${pattern}, which protects secrets, what git runs and Tongs itself.`,
    { reason: 'DeniedPatternMatched', attempted, pattern },
    ['Work without this file, or ask the user for what you need from it.'],
  )
}

function isProtected(attempted: string, { path, why }: Protection): ToolFailure {
  if (path === null)
    return failure(
      'not_allowed',
      `${showPath(attempted)} cannot be changed, because it is unknown what git would run here: ${why}.`,
      { attempted },
      [
        'Check `git config --list` and `git status` in that folder; files can be changed again when all that git follows there can be followed.',
      ],
    )
  return failure(
    'denied_pattern',
    `${showPath(attempted)} must not be changed: ${why}.`,
    { reason: 'DeniedPatternMatched', attempted, pattern: `${path}/**` },
    ['Work without changing this file, or ask the user to change it.'],
  )
}
