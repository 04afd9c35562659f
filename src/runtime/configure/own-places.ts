import { basename, dirname, join } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import type { ServerSetting } from '../../config/kinds/servers-kind.ts'
import { kindOrMissing } from '../../host/confine/inspect-path.ts'
import { isTooWide } from '../../host/confine/mount.ts'
import { placeIn } from '../../host/layer/layer-places.ts'
import {
  homeFolder,
  homeFolders,
  MANAGED_CONFIG_FILE,
  PROJECT_CONFIG_NAME,
  PROJECT_FOLDER_NAME,
  usualFiles,
  usualFolders,
  userConfigFile,
} from '../../host/fs/folders.ts'
import type { Environment } from '../../host/fs/folders.ts'
import { followPath, pathInside } from '../../host/fs/follow-path.ts'
import type { OwnPath } from '../../workspace/sandbox/own-paths.ts'
import { ConfigurationError } from './configuration-error.ts'
import { findServerPlaces, findServerWork, findStarted, findViewers } from './started-places.ts'

/** What decides where the places of Tongs are. */
export interface OwnFacts {
  readonly stateDir: string
  readonly env: Environment
  /** Null while the configuration has not been read. */
  readonly settings: Settings | null
  readonly configFile?: string | undefined
  /** The folder of the project; absent while nothing of its configuration has been read. */
  readonly root?: string
  /** Other folders that tools and commands may change, each the root of other sessions perhaps. */
  readonly roots?: readonly string[]
}

/** A place of Tongs, and what happens if a root holds it. */
interface OwnPlace {
  readonly name: string
  readonly find: (facts: OwnFacts, roots: readonly string[]) => readonly string[]
  /** Nothing runs; or tools and commands see nothing of it; or they may read it and not change it. */
  readonly ifHeld: 'refuse' | 'hide' | 'shield'
  readonly hint: string
}

/** Anything else of this name is not read as configuration. */
const MAY_BE_OURS: ReadonlySet<string | null> = new Set(['file', 'missing'])

/**
 * Every place of Tongs with a lasting name. Files that live for a moment are not listed: they go to a folder that no root
 * holds (`findPrivateFolder`). The compiled code and the output of commands are in the state folder.
 */
const OWN_PLACES: readonly OwnPlace[] = [
  {
    name: 'state folder',
    find: ({ stateDir }) => [stateDir],
    ifHeld: 'refuse',
    hint: 'set TONGS_STATE_DIR to a folder outside the workspace',
  },
  {
    // Sessions without TONGS_STATE_DIR use it.
    name: 'usual state folder',
    find: ({ env, stateDir }) => usualFolders(env).state.filter((folder) => folder !== stateDir),
    ifHeld: 'hide',
    hint: 'choose another root',
  },
  {
    // The keys of model providers are in the same folder.
    name: 'user configuration',
    find: ({ env }) => {
      const file = userConfigFile(env)
      const folders = usualFolders(env).config
      // What is linked there from elsewhere, as from a folder of settings under version control, is ours as well.
      const linked = usualFiles(env).filter((path) => kindOrMissing(path) === 'link')
      return [...folders, ...linked, ...(folders.includes(dirname(file)) ? [] : [file])]
    },
    ifHeld: 'hide',
    hint: 'choose another root',
  },
  {
    name: 'managed configuration',
    find: () => [dirname(MANAGED_CONFIG_FILE)],
    ifHeld: 'hide',
    hint: 'choose another root',
  },
  {
    // What it forbids has to hold for the next session too, and what a new one says is for a person to decide.
    name: 'project configuration',
    find: (facts) =>
      rootsIn(facts)
        .map((folder) => join(folder, PROJECT_CONFIG_NAME))
        .filter((path) => MAY_BE_OURS.has(kindOrMissing(path))),
    ifHeld: 'shield',
    hint: 'choose another root',
  },
  {
    // Prompts that a person uses as their own words. A new folder is harmless: only files that were trusted are used.
    name: 'project folder',
    find: (facts) =>
      rootsIn(facts)
        .map((folder) => join(folder, PROJECT_FOLDER_NAME))
        .filter((path) => kindOrMissing(path) === 'folder'),
    ifHeld: 'shield',
    hint: 'choose another root',
  },
  {
    name: 'named configuration',
    find: ({ configFile }) => (configFile === undefined ? [] : [configFile]),
    ifHeld: 'shield',
    hint: 'choose another root',
  },
  {
    // Those beside a root are known by their name, wherever they are.
    name: 'tools.shell.layer_dir',
    find: ({ settings }) => {
      const folder = settings?.['tools.shell.layer_dir'] ?? ''
      return folder.startsWith('/') ? [placeIn(folder)] : []
    },
    ifHeld: 'hide',
    hint: 'choose another folder for layers',
  },
  {
    // It has to survive what happens to everything else.
    name: 'journal.witness',
    find: ({ settings }) => [settings?.['journal.witness'] ?? ''].filter((path) => path.startsWith('/')),
    ifHeld: 'refuse',
    hint: 'name a file on another disk, or in a folder that is not part of the same backup',
  },
  {
    // They run outside any sandbox.
    name: 'gate',
    find: ({ settings, env }, roots) =>
      (settings?.['tools.gates'] ?? []).flatMap(({ command }) =>
        findStarted(command, { starts: ['/'], env, roots, mayNameRoot: false }),
      ),
    ifHeld: 'shield',
    hint: 'keep it outside the workspace, and name no folder that is one',
  },
  {
    name: 'program of an MCP server',
    find: ({ settings, env, root = '/' }, roots) =>
      findServerPlaces(settings?.['mcp.servers'] ?? {}, { env, roots, root }),
    ifHeld: 'shield',
    hint: 'choose another root',
  },
  // Whatever it runs learns the key.
  startedAtHome('model.key_command'),
  // It runs outside any sandbox.
  startedAtHome('notify.command'),
  {
    // They run outside any sandbox when a person asks for them.
    name: 'editor or browser',
    find: ({ env }, roots) => findViewers(env, roots),
    ifHeld: 'shield',
    hint: 'choose another root',
  },
]

/** A command of the configuration that runs in the home folder, outside any sandbox. */
function startedAtHome(name: 'model.key_command' | 'notify.command'): OwnPlace {
  return {
    name,
    find: ({ settings, env }, roots) =>
      findStarted(settings?.[name] ?? [], { starts: [homeFolder(env)], env, roots, mayNameRoot: false }),
    ifHeld: 'shield',
    hint: 'keep it outside the workspace, and name no folder that is one',
  }
}

/** Leaves out what is ours only because servers are started with it who may change it by their entries. */
export function withoutWorkOf(
  servers: readonly ServerSetting[],
  own: readonly OwnPath[],
  facts: OwnFacts,
): readonly OwnPath[] {
  const { env, root = '/', settings } = facts
  const withoutServers = settings === null ? null : { ...settings, 'mcp.servers': {} }
  const elsewise = new Set(findOwnPlaces({ ...facts, settings: withoutServers }).map(({ path }) => path))
  const work = new Set(
    servers
      .flatMap((server) => findServerWork(server, { env, root, roots: rootsIn(facts) }))
      .map((place) => followPath(place).end),
  )
  return own.filter(({ path }) => elsewise.has(path) || !work.has(path))
}

function rootsIn({ root, roots = [] }: OwnFacts): readonly string[] {
  return [...new Set([...(root === undefined ? [] : [root]), ...roots])]
}

/** Every place of Tongs, wherever it is, with the links that lead there. */
export function findOwnPlaces(facts: OwnFacts): readonly OwnPath[] {
  return OWN_PLACES.flatMap((place) =>
    place.find(facts, rootsIn(facts)).flatMap((path) => waysTo(path, place)),
  )
}

/** A place and the links that lead there: changing one of them changes what Tongs finds. */
function waysTo(path: string, { ifHeld }: OwnPlace): readonly OwnPath[] {
  const { links, end } = followPath(path)
  return [
    ...links.map((link): OwnPath => ({ path: link, as: 'link' })),
    {
      path: end,
      as: ifHeld !== 'shield' ? 'hidden' : kindOrMissing(end) === 'missing' ? 'absent' : 'shielded',
    },
  ]
}

/** Checks every place of Tongs against every root: throws for those that no root may hold, and returns the others. */
export function checkOwnPlaces(facts: OwnFacts, roots: readonly string[]): readonly OwnPath[] {
  return OWN_PLACES.flatMap((place) =>
    place
      .find(facts, roots)
      .flatMap((path) =>
        roots.flatMap((root) => waysTo(path, place).flatMap((way) => checkPlace(place, way, root))),
      ),
  )
}

function checkPlace(
  { name, ifHeld, hint }: OwnPlace,
  { path, as }: OwnPath,
  root: string,
): readonly OwnPath[] {
  const found = wayInside(root, { path, as })
  const problem = (is: string) =>
    new ConfigurationError([
      { source: name, message: `${path} ${is} ${root}, where tools could reach it`, hint },
    ])
  if (as !== 'link' && found === root) throw problem('is the workspace')
  if (as !== 'link' && found === null && pathInside(path, root) !== null) throw problem('holds the workspace')
  if (found === null) return []
  if (ifHeld === 'refuse') throw problem('is inside the workspace')
  return [{ path: found, as }]
}

/** The path by way of a root that holds it, or null. A link is where its name is: one to the root is not in it. */
function wayInside(root: string, { path, as }: OwnPath): string | null {
  if (as !== 'link') return pathInside(root, path)
  const folder = pathInside(root, dirname(path))
  return folder === null ? null : join(folder, basename(path))
}

/** Why commands cannot be confined to these roots, and what to do about it. */
export interface RootsFault {
  readonly reason: string
  readonly advice: readonly string[]
}

const ADVICE = ['Start Tongs in a folder of its own for the project, or name one with --root.']
/** What lies directly in these is the home of a user, whoever Tongs runs as. */
const HOMES = ['/home', '/Users']

/**
 * Finds a root that no sandbox can make safe for commands: what they change in a home folder, such as the start-up files
 * of a shell, would run outside later. Null if there is none.
 */
export function findRootsFault(
  roots: readonly string[],
  own: readonly OwnPath[],
  env: Environment,
): RootsFault | null {
  const homes = [...homeFolders(env), '/root', ...HOMES]
  const wide = roots.find(
    (root) =>
      isTooWide(root) ||
      HOMES.some((folder) => followPath(folder).end === dirname(root)) ||
      homes.some((home) => pathInside(root, followPath(home).end) !== null),
  )
  if (wide !== undefined) {
    const reason = `The root ${wide} is a home folder or holds one, or the system: too wide for commands.`
    return { reason, advice: ADVICE }
  }
  // Another link is out of reach, such as that of an interpreter to one of its versions.
  const link = own.find((one) => one.as === 'link' && roots.some((root) => wayInside(root, one) !== null))
  if (link === undefined) return null
  const reason = `${link.path} is a link to something of Tongs itself, and a command could replace it.`
  return { reason, advice: ADVICE }
}
