import { resolve } from 'node:path'
import type { ServerSettings } from '../../config/kinds/servers-kind.ts'
import { kindOrMissing } from '../../host/confine/inspect-path.ts'
import { homeFolder } from '../../host/fs/folders.ts'
import type { Environment } from '../../host/fs/folders.ts'
import { expandHome, followPath, pathInside } from '../../host/fs/follow-path.ts'
import { pathOutside } from '../../host/run/order-path.ts'
import { findNamedPlaces } from '../../host/fs/named-places.ts'

/** How Tongs starts a command of the user, and the folders that tools and commands may change. */
interface Start {
  readonly starts: readonly string[]
  readonly env: Environment
  readonly roots: readonly string[]
  /** Whether a root as a whole is what the command works on, and not where its program is. */
  readonly mayNameRoot: boolean
  /** Whether a word without a slash can be a file where it starts. */
  readonly hasPlainNames?: boolean
}

/** Where a program without a folder of its own starts: in `/`, or in the folder for temporary files. */
const SERVER_STARTS = ['/', '/tmp']

/**
 * What must not change, because a command of the user's configuration names it: files and folders, those behind programs
 * on PATH included. A folder that holds a root says nothing about what runs.
 */
export function findStarted(
  words: readonly string[],
  { starts, env, roots, mayNameRoot, hasPlainNames = true }: Start,
): readonly string[] {
  if (words.every((word) => word === '')) return []
  const home = homeFolder(env)
  const path = pathOutside(env['PATH'] ?? '', roots)
  return findNamedPlaces({ words, starts, home, path })
    .filter(({ path: place, isLoose }) => {
      if (isLoose && !hasPlainNames) return false
      const { end } = followPath(place)
      const kind = kindOrMissing(end)
      if (kind === 'file') return true
      if (kind === 'missing') return roots.some((root) => pathInside(root, place) !== null)
      if (kind !== 'folder' || roots.every((root) => pathInside(end, root) === null)) return kind === 'folder'
      return !mayNameRoot && !isLoose && roots.some((root) => pathInside(root, end) === root)
    })
    .map(({ path: place }) => place)
}

/**
 * What the entries of MCP servers name as their programs, also by their variables. What an entry lets its server change is
 * the server's work, and so is a folder outside of the roots.
 */
export function findServerPlaces(
  servers: ServerSettings,
  {
    env,
    roots,
    root,
  }: { readonly env: Environment; readonly roots: readonly string[]; readonly root: string },
): readonly string[] {
  return Object.values(servers).flatMap(({ command, args, write, env: variables }) => {
    if (command === null) return []
    const open = write.map((path) => resolve(root, expandHome(path, homeFolder(env))))
    const words = [command, ...args, ...Object.values(variables.reveal()).map((text) => fillIn(text, env))]
    return findStarted(words, { starts: SERVER_STARTS, env, roots, mayNameRoot: true }).filter((place) => {
      if (open.some((folder) => pathInside(folder, place) !== null)) return false
      const { end } = followPath(place)
      return kindOrMissing(end) !== 'folder' || roots.some((one) => pathInside(one, end) !== null)
    })
  })
}

function fillIn(text: string, env: Environment): string {
  return text.replaceAll(/\$\{([A-Za-z_]\w*)\}/g, (_all, name: string) => env[name] ?? '')
}

/**
 * The programs that a person's variables name for looking at files and pages. They start in any folder, and a folder of
 * the project that is called like an editor is not one.
 */
export function findViewers(env: Environment, roots: readonly string[]): readonly string[] {
  const words = ['VISUAL', 'EDITOR', 'BROWSER'].map((name) => env[name] ?? '')
  return findStarted(words, { starts: roots, env, roots, mayNameRoot: true, hasPlainNames: false })
}
