import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where fetched packages and the peers lie: outside the project, and kept between runs. */
export function cacheFolder(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? ''
  return join(cache === '' ? join(homedir(), '.cache') : cache, 'tongs-eval')
}
