import type { Settings } from '../../config/keys.ts'
import { findPackageCaches } from '../../host/fs/package-caches.ts'
import type { PackageCache } from '../../host/fs/package-caches.ts'
import { homeFolder } from '../../host/fs/folders.ts'
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
}

/** Finds the caches that the settings lend to commands. */
export function findLentCaches(
  settings: Settings,
  { roots, denyOutside, findDeniedIn }: Pick<Workspace, 'roots' | 'denyOutside' | 'findDeniedIn'>,
): LentCaches {
  const how = settings['tools.shell.caches']
  if (how === 'none') return { caches: [], masked: [], isLayered: false }
  const caches = findPackageCaches(process.env, homeFolder(process.env), roots).filter(
    ({ path }) => denyOutside(path) === null,
  )
  return {
    caches,
    masked: caches.flatMap(({ path }) => findDeniedIn(path, CACHE_LIMITS)),
    isLayered: how === 'layer',
  }
}

/** The variables by which package managers find their caches. */
export function cacheVariables({ caches }: LentCaches): Readonly<Record<string, string>> {
  return Object.fromEntries(caches.map(({ variable, value }) => [variable, value]))
}
