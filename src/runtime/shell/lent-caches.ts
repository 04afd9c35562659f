import type { Settings } from '../../config/keys.ts'
import type { LayerRung } from '../../core/layer.ts'
import { findPackageCaches } from '../../host/fs/caches/package-caches.ts'
import type { PackageCache } from '../../host/fs/caches/package-caches.ts'
import { homeFolder } from '../../host/fs/folders.ts'
import { findNpmRegistry } from '../../host/fs/caches/npm-registry.ts'
import type { Workspace } from '../../workspace/workspace.ts'

/** Downloads are stored under digests, and packages as they were published hold no secrets of this machine. */
const CACHE_LIMITS = {
  skips: /^(?:content-v2|index-v5|http|http-v2|wheels|src|index|download|.*@v.*)$/,
  maxFolders: 250,
}

/** The caches of package managers that commands get, and what is hidden in them. */
export interface LentCaches {
  readonly caches: readonly PackageCache[]
  readonly masked: readonly string[]
  /** Whether commands write to them on a layer of its own, which is thrown away. */
  readonly isLayered: boolean
  /** The registry that the cache of npm was filled from, if it is another than npm would take. */
  readonly registry: string | null
}

/** What a command may do with caches. */
interface CacheUse {
  readonly hasNetwork: boolean
  /** What its changes lie on; null is the workspace itself. */
  readonly rung: LayerRung | null
}

/**
 * Finds the caches that the settings lend to a command. One with network stores what it downloads: on a layer over the
 * cache, and where there is none, in an empty cache in its scratch home.
 */
export function findLentCaches(
  settings: Settings,
  { roots, denyOutside, findDeniedIn }: Pick<Workspace, 'roots' | 'denyOutside' | 'findDeniedIn'>,
  { hasNetwork, rung }: CacheUse,
): LentCaches {
  const how = settings['tools.shell.caches']
  if (how === 'none') return { caches: [], masked: [], isLayered: false, registry: null }
  const home = homeFolder(process.env)
  const found = findPackageCaches(process.env, home, roots).filter(({ path }) => denyOutside(path) === null)
  const isLayered = rung === 'overlay' && (how === 'layer' || hasNetwork)
  const caches = hasNetwork && !isLayered ? [] : found
  const hasNpm = found.some(({ name }) => name === 'npm')
  return {
    caches,
    masked: caches.flatMap(({ path }) => findDeniedIn(path, CACHE_LIMITS)),
    isLayered,
    registry: hasNpm ? findNpmRegistry(process.env, home, roots[0] ?? '/') : null,
  }
}

/** The variables by which package managers find their caches, and what is in them. */
export function cacheVariables({ caches, registry }: LentCaches): Readonly<Record<string, string>> {
  return {
    ...Object.fromEntries(caches.map(({ variable, value }) => [variable, value])),
    ...(registry === null ? {} : { npm_config_registry: registry }),
  }
}
