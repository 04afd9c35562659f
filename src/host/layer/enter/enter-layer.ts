import { lstatSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LaunchInput } from '../../confine/confinement.ts'
import { digestListing } from '../../confine/listing-check.ts'
import { findTrustedProgram } from '../../confine/trusted-program.ts'
import { isRootOfSystem } from '../../system/process.ts'
import { latin1Name } from '../../root/exact-name.ts'
import { absoluteOf } from '../../root/rel-path.ts'
import { UPPER } from '../layer.ts'
import type { Layer, LayerPart } from '../../../core/layer.ts'
import type { HoleMount, LayerMounts, ListedLayer, OverlayMount, StandMount } from './layer-mounts.ts'
import { scriptOf, tableOf } from './layer-script.ts'
import type { LayerPrograms, ScriptDescriptors } from './layer-script.ts'
import type { RootLook } from './look.ts'
import { noteHidden } from './hidden-names.ts'
import { MASKS, MERGED, PLANTS, WORK } from '../open-layer.ts'
import { plantIndexes } from './plant-indexes.ts'
import { fillStandIn, writeStandIn } from './stand-in.ts'

const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin']

/** Finds the programs; names the first that is missing or that users other than root can change. */
export function findLayerPrograms(): LayerPrograms | { readonly missing: string } {
  const found: Record<string, string> = {}
  for (const name of ['unshare', 'mount', 'sh', 'find'] as const) {
    const program = findTrustedProgram(FOLDERS.map((folder) => join(folder, name)))
    if (program === null) return { missing: name }
    found[name] = program
  }
  return found as unknown as LayerPrograms
}

/** How a command is started on a layer: the words before its own, and what they need on descriptors. */
export interface Entrance {
  readonly argv: readonly string[]
  /** For the descriptors from the first on. */
  readonly inputs: readonly LaunchInput[]
  /** What the words mount, for a process that can do so itself and then needs neither them nor what they need. */
  readonly mounts: LayerMounts
}

/** What is needed to put a command on a layer. */
export interface EntranceRequest extends ScriptDescriptors {
  readonly layer: Layer
  /** One for each part. */
  readonly looks: readonly RootLook[]
  readonly programs: LayerPrograms
  /** Folders outside the roots that a command may change on layers of their own, which never land. */
  readonly caches: readonly string[]
}

/**
 * Builds the start of a command line that mounts the layer, hides what is hidden on it, checks that what it shows is what
 * was looked at, and goes on with the words after it. The mounts vanish with the last process in their namespace. Root
 * needs no user namespace for them; without one, commands can rename folders. It has to be started without variables, as
 * mount obeys some.
 */
export function enterLayer(request: EntranceRequest): Entrance {
  const { programs } = request
  const isRoot = isRootOfSystem()
  const mounts = prepareMounts(request, isRoot ? 'redirect_dir=on,metacopy=off' : 'userxattr')
  const table = tableOf(mounts)
  return {
    mounts,
    inputs: [table === '' ? UNUSED : Buffer.from(table, 'latin1'), UNUSED, { listing: mounts.listing }],
    argv: [
      programs.unshare,
      isRoot ? '-m' : '-Urm',
      '--',
      programs.sh,
      '-c',
      scriptOf(mounts, programs, request),
      'tongs',
    ],
  }
}

/** Makes the folders that are mounted, and says what has to show then. */
function prepareMounts({ layer, looks, caches }: EntranceRequest, options: string): LayerMounts {
  const parts = layer.parts.map((part, at) => preparePart(part, looks[at], { options, at }))
  return {
    overlays: [
      ...parts.map(({ overlay }) => overlay),
      ...caches.map((from, at): OverlayMount => {
        for (const name of [UPPER, WORK, MERGED]) mkdirSync(cachePlace(layer, at, name), NEW_FOLDERS)
        const folder = cachePlace(layer, at, '')
        const work = join(WORK, newFolder(folder, WORK))
        return { folder, from, at: cachePlace(layer, at, MERGED), work, above: null, options, listedAs: null }
      }),
    ],
    stands: parts.flatMap(({ stands }) => stands),
    listed: parts.map(({ listed }) => listed),
    listing: digestListing(parts.flatMap(({ lines }, at) => lines.map((line) => `${at}${line}`))),
    holes: parts.flatMap(({ holes }) => holes),
  }
}

/** Keeps the number of a descriptor free. */
const UNUSED = '/dev/null'
const NEW_FOLDERS = { recursive: true, mode: 0o700 } as const

/** A folder of the layer over a cache; all processes of a call share it, and it goes with the layer. */
export function cachePlace({ parts }: Layer, index: number, name: string): string {
  return join(parts[0]?.folder ?? '', 'caches', `${index}`, name)
}

interface PreparedPart {
  readonly overlay: OverlayMount
  readonly stands: readonly StandMount[]
  readonly listed: ListedLayer
  readonly holes: readonly HoleMount[]
  /** What it has to show. */
  readonly lines: readonly string[]
}

function preparePart(
  { root, folder }: LayerPart,
  look: RootLook | undefined,
  { options, at }: { readonly options: string; readonly at: number },
): PreparedPart {
  if (look === undefined) throw new Error(`no look at ${root}`)
  // Overlayfs refuses a folder that it prepared files in before.
  const work = join(WORK, newFolder(folder, WORK))
  const { masks, holes, indexes, isIdentified } = look
  noteHidden(folder, masks)
  const stands = masks.length + holes.length === 0 ? new Map<string, string>() : makeStandIns(folder, look)
  const above = indexes.length === 0 ? null : join(PLANTS, newFolder(folder, PLANTS))
  const covers = above === null ? new Map<string, number>() : plantIndexes(join(folder, above), indexes)
  const shown = look.linesWith((path) => lstatSync(stands.get(path) ?? folder).ino, covers)
  const merged = join(folder, MERGED)
  // Over another file system, files would otherwise show a device that no table of mounts knows.
  const inodes = statSync(root).dev === statSync(folder).dev ? '' : ',xino=on'
  return {
    overlay: { folder, from: root, at: merged, work, above, options: `${options}${inodes}`, listedAs: at },
    stands: [...stands].map(([path, stand]) => ({
      from: latin1Name(stand),
      to: `${latin1Name(merged)}/${latin1Name(path)}`,
    })),
    listed: {
      at: merged,
      isIdentified,
      hiddenFiles: [
        ...masks.filter(({ kind }) => kind === 'file'),
        ...holes.filter(({ isFolder, isInner }) => !isFolder && !isInner),
      ].map(({ path }) => path),
    },
    holes: holes.map(({ path, isWritable, identity }) => ({
      from: absoluteOf(root, path),
      identity,
      at: `${realpathSync(merged)}/${path}`,
      isWritable,
    })),
    lines: [`r ${look.identity}`, ...shown],
  }
}

/** Makes what stands in for hidden names, by their paths. */
function makeStandIns(folder: string, { masks, holes }: RootLook): ReadonlyMap<string, string> {
  const made = join(folder, MASKS, newFolder(folder, MASKS))
  const empty = join(made, 'empty')
  mkdirSync(empty, { mode: 0o555 })
  const nothing = join(made, 'nothing')
  writeFileSync(nothing, '', { mode: 0o444 })
  const stands = new Map(
    holes.filter(({ isInner }) => !isInner).map(({ path, isFolder }) => [path, isFolder ? empty : nothing]),
  )
  for (const [at, mask] of masks.entries()) {
    const stand = join(made, `${at}`)
    const isEmpty = mask.kind === 'folder' && (mask.tracked ?? []).length === 0
    if (mask.kind === 'file') writeStandIn(stand, mask)
    else if (!isEmpty) {
      mkdirSync(stand, { mode: 0o755 })
      fillStandIn(stand, mask)
    }
    stands.set(mask.path, isEmpty ? empty : stand)
  }
  return stands
}

/** Makes a folder that does not exist yet, and returns its name. */
function newFolder(folder: string, kind: string): string {
  for (let at = 0; ; at++) {
    const path = join(folder, kind, `${at}`)
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) continue
    mkdirSync(path, { mode: 0o700 })
    return `${at}`
  }
}
