import { resolve } from 'node:path'
import type { ServerSetting, ServerSettings } from '../../config/kinds/servers-kind.ts'
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

/** Where the entries of servers are read. */
interface ServerFacts {
  readonly env: Environment
  readonly roots: readonly string[]
  /** Where relative paths of an entry start. */
  readonly root: string
}

/**
 * What the entries of MCP servers name as their programs, also by their variables: tools and commands may not change it,
 * even if the server may. A path that an entry lets its server write by itself is what the server works on, unless it is
 * the program; so is a folder outside of the roots.
 */
export function findServerPlaces(servers: ServerSettings, facts: ServerFacts): readonly string[] {
  return Object.values(servers).flatMap((server) => {
    const named = placesNamedBy(server, facts)
    const started = new Set(findServerStart([server.command ?? ''], facts))
    const isWork = isAtOneOf(writtenBy(server, facts))
    return named.filter((place) => started.has(place) || !isWork(followPath(place).end))
  })
}

/** Of what the entry of a server names, the places that the server may change itself: those below what it may write. */
export function findServerWork(server: ServerSetting, facts: ServerFacts): readonly string[] {
  const open = writtenBy(server, facts)
  return placesNamedBy(server, facts).filter((place) =>
    open.some((folder) => pathInside(folder, followPath(place).end) !== null),
  )
}

function placesNamedBy({ command, args, env: variables }: ServerSetting, facts: ServerFacts) {
  if (command === null) return []
  const values = Object.values(variables.reveal()).map((text) => fillIn(text, facts.env))
  return findServerStart([command, ...args, ...values], facts)
}

function findServerStart(words: readonly string[], { env, roots }: ServerFacts): readonly string[] {
  return findStarted(words, { starts: SERVER_STARTS, env, roots, mayNameRoot: true }).filter((place) => {
    const { end } = followPath(place)
    return kindOrMissing(end) !== 'folder' || roots.some((one) => pathInside(one, end) !== null)
  })
}

function writtenBy({ write }: ServerSetting, { env, root }: ServerFacts): readonly string[] {
  return write.map((path) => followPath(resolve(root, expandHome(path, homeFolder(env)))).end)
}

function isAtOneOf(paths: readonly string[]): (path: string) => boolean {
  return (path) => paths.some((one) => pathInside(one, path) === one)
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
