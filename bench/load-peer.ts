import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

const require = createRequire(join(import.meta.dirname, 'package.json'))

/** Loads a peer out of the package of the measurements; its own types are not ours to check. */
export async function loadPeer<T>(name: string): Promise<T> {
  return (await import(pathToFileURL(require.resolve(name)).href)) as T
}

/** Loads a file that a peer ships without naming it as an entry. */
export async function loadPeerFile<T>(name: string, file: string): Promise<T> {
  const entry = require.resolve(name)
  const top = entry.slice(0, entry.lastIndexOf(join('node_modules', ...name.split('/'))))
  return (await import(pathToFileURL(join(dirname(top + '/x'), 'node_modules', name, file)).href)) as T
}
