import { isAbsolute, join } from 'node:path'
import { kindOrMissing, realPathOf } from '../../confine/inspect-path.ts'
import { isBelow, isTooWide } from '../../confine/mount.ts'
import { findExit } from '../../way/find-exit.ts'
import { findWay } from '../../way/find-way.ts'

/** Where a package manager keeps what it has downloaded. */
export interface PackageCache {
  /** The package manager. */
  readonly name: string
  /** The folder that commands get, absolute and without links. */
  readonly path: string
  /** The variable by which the package manager finds it, and its value. */
  readonly variable: string
  readonly value: string
}

/** A package manager: its variables, and what of its folder holds downloads and nothing else. */
interface Manager {
  readonly name: string
  readonly variable: string
  readonly find: (env: Environment, home: string) => string | undefined
  readonly inner: string
}

type Environment = Readonly<Record<string, string | undefined>>

const MANAGERS: readonly Manager[] = [
  {
    name: 'npm',
    variable: 'npm_config_cache',
    find: (env, home) => env['npm_config_cache'] ?? env['NPM_CONFIG_CACHE'] ?? join(home, '.npm'),
    // Beside it are logs.
    inner: '_cacache',
  },
  {
    name: 'pip',
    variable: 'PIP_CACHE_DIR',
    find: (env, home) => env['PIP_CACHE_DIR'] ?? join(env['XDG_CACHE_HOME'] ?? join(home, '.cache'), 'pip'),
    inner: '',
  },
  {
    name: 'cargo',
    variable: 'CARGO_HOME',
    find: (env, home) => env['CARGO_HOME'] ?? join(home, '.cargo'),
    // Beside it are programs, and the keys of the person who publishes.
    inner: 'registry',
  },
  {
    name: 'go',
    variable: 'GOMODCACHE',
    find: (env, home) =>
      env['GOMODCACHE'] ?? join(env['GOPATH']?.split(':')[0] ?? join(home, 'go'), 'pkg/mod'),
    inner: '',
  },
]

/** Finds the caches that exist; none that holds a root or lies in one, or that holds more than a cache. */
export function findPackageCaches(
  env: Environment,
  home: string,
  roots: readonly string[],
): readonly PackageCache[] {
  return MANAGERS.flatMap(({ name, variable, find, inner }): readonly PackageCache[] => {
    const value = find(env, home)
    if (value === undefined || !isAbsolute(value) || findExit(findWay(value), roots) !== null) return []
    const named = realPathOf(value)
    if (named === null) return []
    const path = realPathOf(join(named, inner))
    if (path === null || kindOrMissing(path) !== 'folder') return []
    const isShared = roots.some((root) => isBelow(root, path) || isBelow(path, root))
    // A link could make any folder look like a cache.
    const isOutside = !isBelow(path, named)
    if (isShared || isOutside || isTooWide(path) || isTooWide(named) || isBelow(home, named)) return []
    return [{ name, path, variable, value: named }]
  })
}
