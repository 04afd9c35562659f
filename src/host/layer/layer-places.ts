import { Buffer } from 'node:buffer'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
} from 'node:fs'
import type { Stats } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { digest } from '../system/hash.ts'
import { readFolderAttributes, setFolderAttributes } from '../fs/attributes.ts'
import { isInside } from '../fs/folders.ts'
import { findLooseFolder } from '../fs/loose-folders.ts'
import { createPrivateFileWith, namesIn, readIfExists } from '../fs/private-files.ts'
import { attributesBelow, defaultListIn } from '../root/access-list.ts'
import { tryTo } from '../system/try-to.ts'
import { findExit } from '../way/find-exit.ts'
import { findWay } from '../way/find-way.ts'
import { ioFailure, isOutage } from '../root/io-failure.ts'
import { mountIdOf, requireMountId } from './mounts.ts'

/** What decides where the layers of a root lie. */
export interface LayerPlaceFacts {
  readonly root: string
  readonly stateDir: string
  /** A folder that a person chose; empty for none. */
  readonly layerDir: string
}

/** What the names of folders beside roots begin with, which no tool and no command may touch in any root. */
export const BESIDE_PREFIX = '.tongs-layers-'
const HASH_CHARS = 16
const OWNER_ONLY = 0o700

/** The folder beside a root, for a root on another file system than the state folder. */
export function placeBeside(root: string): string {
  return join(dirname(root), `${BESIDE_PREFIX}${digest(root).slice(0, HASH_CHARS)}`)
}

/** The folder for layers in one that a person chose. */
export function placeIn(layerDir: string): string {
  return join(layerDir, 'tongs-layers')
}

function placeInState(stateDir: string): string {
  return join(stateDir, 'layers')
}

/** The folders in which layers of a root may lie, best first. */
export function layerPlaces({ root, stateDir, layerDir }: LayerPlaceFacts): readonly string[] {
  return [
    placeInState(stateDir),
    ...(layerDir === '' ? [] : [placeIn(layerDir)]),
    ...(dirname(root) === root ? [] : [placeBeside(root)]),
  ]
}

/** A folder that can hold the layers of a root. */
export interface LayerPlace {
  readonly path: string
  /** Whether files can be renamed from it into the root and back; elsewhere they are copied. */
  readonly isNear: boolean
}

/**
 * Those of these folders that can be used, made so that only their owner can enter: first those from which files can be
 * renamed into the root and back. No place lies in a root, where commands and tools would meet it, or where other users
 * could exchange it: layers are found by their paths. Throws if there may be one and the system failed for now: without a
 * place, commands change the workspace itself.
 */
export function findLayerPlaces(
  facts: LayerPlaceFacts & { readonly roots: readonly string[] },
): readonly LayerPlace[] {
  const mount = requireMountId(facts.root)
  if (mount === null) return []
  let outage: unknown = null
  const isUsable = (path: string): boolean => {
    try {
      return canHold(path)
    } catch (error) {
      if (isOutage(error)) outage ??= error
      return false
    }
  }
  const free = layerPlaces(facts).filter(
    (place) =>
      !facts.roots.some((root) => isInside(place, root)) && findExit(findWay(place), facts.roots) === null,
  )
  const isNear = (path: string): boolean => mountIdOf(nearestFolder(path)) === mount
  const near = free.filter(isNear).find((path) => isUsable(path) && mountIdOf(path) === mount)
  if (near !== undefined) return [{ path: near, isNear: true }]
  // One beside the root is made only where it is of use.
  const far = free.filter((path) => path !== placeBeside(facts.root) && !isNear(path) && isUsable(path))
  if (far.length === 0 && outage !== null)
    throw ioFailure(outage, 'look for a place for layers beside', facts.root)
  return far.map((path) => ({ path, isNear: false }))
}

/** Notes which of these folders are missing; the function that it returns removes those that were made since and are empty. */
export function notePlaces(places: readonly string[]): () => void {
  const missing = new Set<string>()
  for (const place of places)
    for (let at = place; lstatSync(at, { throwIfNoEntry: false }) === undefined; at = dirname(at))
      missing.add(at)
  const inwards = [...missing].toSorted((one, other) => other.length - one.length)
  return () => {
    for (const path of inwards) tryTo(() => rmdirSync(path))
  }
}

function canHold(place: string): boolean {
  accessSync(nearestFolder(place), constants.W_OK | constants.X_OK)
  if (findLooseFolder(place) !== null) return false
  mkdirSync(place, { recursive: true, mode: OWNER_ONLY })
  const found = lstatSync(place)
  if (!found.isDirectory() || found.uid !== process.geteuid?.()) return false
  if ((found.mode & 0o777) !== OWNER_ONLY) chmodSync(place, OWNER_ONLY)
  return isFreeOfDefaults(place, found)
}

/** Takes from a folder the default access list that it got from the one above: what a command makes would get it too. */
function isFreeOfDefaults(place: string, { uid, gid }: Stats): boolean {
  const [attributes = null] = readFolderAttributes(place, [Buffer.from('.')]) ?? []
  const defaults = defaultListIn(attributes)
  if (defaults === null) return true
  const owned = { uid, gid, mode: OWNER_ONLY, kind: 'folder' }
  const none = attributesBelow(defaults, new Map(), owned) ?? new Map<string, Uint8Array>()
  return setFolderAttributes(place, { ...owned, attributes: none })
}

function nearestFolder(path: string): string {
  for (let at = path; ; at = dirname(at)) {
    if (lstatSync(at, { throwIfNoEntry: false }) !== undefined || dirname(at) === at) return at
  }
}

/** In the state folder: a file for each folder outside of it in which layers of its calls may lie, which holds its path. */
const PLACE_PREFIX = 'layer-place-'
/** Where earlier versions noted them all, as JSON. */
const PLACES_FILE = 'layer-places'

/**
 * The folders that layers were made in. Contents are looked for there too: the one of now is another one once a root was
 * moved, or `tools.shell.layer_dir` has another value.
 */
export function readKnownPlaces(stateDir: string): readonly string[] {
  const noted = namesIn(stateDir)
    .filter((name) => /^layer-place-[\da-f]{64}$/.test(name))
    .map((name) => readIfExists(join(stateDir, name))?.toString('utf8') ?? '')
  return [...new Set([...readEarlier(stateDir), ...noted])].filter((path) => isAbsolute(path))
}

/**
 * The folders in which a process with this state folder may have left a layer, whatever the settings are now. Without
 * those that are not what they were, or that other users could exchange: what is removed there is found by its path.
 */
export function sweptPlaces(stateDir: string): readonly string[] {
  return [placeInState(stateDir), ...readKnownPlaces(stateDir)].filter(isOwn)
}

function isOwn(place: string): boolean {
  try {
    const found = lstatSync(place)
    return found.isDirectory() && found.uid === process.geteuid?.() && findLooseFolder(place) === null
  } catch {
    return false
  }
}

function readEarlier(stateDir: string): readonly string[] {
  try {
    const found: unknown = JSON.parse(readFileSync(join(stateDir, PLACES_FILE), 'utf8'))
    return Array.isArray(found) ? found.filter((path): path is string => typeof path === 'string') : []
  } catch {
    return []
  }
}

/** Notes folders before the first layer is made in them. Each has a file of its own, as several processes may do so at once. */
export function noteKnownPlaces(stateDir: string, places: readonly string[]): void {
  for (const place of places) {
    if (isInside(place, stateDir)) continue
    const path = join(stateDir, PLACE_PREFIX + digest(place))
    if (existsSync(path)) continue
    mkdirSync(stateDir, { recursive: true, mode: OWNER_ONLY })
    createPrivateFileWith(path, place)
  }
}
