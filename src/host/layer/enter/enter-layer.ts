import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LaunchInput } from '../../confine/confinement.ts'
import { AS_EXPECTED, digestListing } from '../../confine/listing-check.ts'
import { findTrustedProgram } from '../../confine/trusted-program.ts'
import { isRootOfSystem } from '../../system/process.ts'
import { latin1Name } from '../../root/exact-name.ts'
import { absoluteOf } from '../../root/rel-path.ts'
import { UPPER } from '../layer.ts'
import type { Layer, LayerPart } from '../../../core/layer.ts'
import type { Hole, RootLook } from './look.ts'
import { noteHidden } from './hidden-names.ts'
import { MASKS, MERGED, PLANTS, WORK } from '../open-layer.ts'
import { plantIndexes } from './plant-indexes.ts'
import { fillStandIn, writeStandIn } from './stand-in.ts'

/** The programs that put a command on a layer, by their absolute paths. */
export interface LayerPrograms {
  readonly unshare: string
  readonly mount: string
  readonly sh: string
  readonly find: string
}

/** What the script reports if the workspace is not as it was looked at. */
export const CHANGED = 'changed'

/** The exit code of a script that did not start the command. */
const NOT_STARTED = 125
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
}

/** What is needed to put a command on a layer. */
export interface EntranceRequest {
  readonly layer: Layer
  /** One for each part. */
  readonly looks: readonly RootLook[]
  readonly programs: LayerPrograms
  /** Folders outside the roots that a command may change on layers of their own, which never land. */
  readonly caches: readonly string[]
  /** The first of three descriptors that the script uses and closes; all below 10, as shells name no others. */
  readonly firstFd: number
  readonly reportFd: number
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
  const parts = request.layer.parts.map((part, at) => preparePart(part, request.looks[at]))
  for (const at of request.caches.keys())
    for (const name of [UPPER, WORK, MERGED]) mkdirSync(cachePlace(request.layer, at, name), NEW_FOLDERS)
  const table = parts.map((part) => part.table).join('')
  const script = scriptOf(parts, request, {
    options: isRoot ? 'redirect_dir=on,metacopy=off' : 'userxattr',
    hasTable: table !== '',
  })
  const listing = digestListing(parts.flatMap(({ lines }, at) => lines.map((line) => `${at}${line}`)))
  return {
    inputs: [table === '' ? UNUSED : Buffer.from(table, 'latin1'), UNUSED, { listing }],
    argv: [programs.unshare, isRoot ? '-m' : '-Urm', '--', programs.sh, '-c', script, 'tongs'],
  }
}

/** Keeps the number of a descriptor free. */
const UNUSED = '/dev/null'
const NEW_FOLDERS = { recursive: true, mode: 0o700 } as const

/** A folder of the layer over a cache; all processes of a call share it, and it goes with the layer. */
export function cachePlace({ parts }: Layer, index: number, name: string): string {
  return join(parts[0]?.folder ?? '', 'caches', `${index}`, name)
}

interface PreparedPart extends LayerPart {
  readonly work: string
  /** A folder that shows over the workspace and under what commands write, relative to the part's own; null for none. */
  readonly plants: string | null
  readonly identity: string
  readonly isIdentified: boolean
  /** Whether a file is hidden, and another shows in its place. */
  readonly hasFileMasks: boolean
  readonly holes: readonly Hole[]
  /** What it has to show. */
  readonly lines: readonly string[]
  readonly table: string
}

function preparePart({ root, folder }: LayerPart, look: RootLook | undefined): PreparedPart {
  if (look === undefined) throw new Error(`no look at ${root}`)
  // Overlayfs refuses a folder that it prepared files in before.
  const work = newFolder(folder, WORK)
  const { masks, holes, indexes } = look
  noteHidden(folder, masks)
  const stands = masks.length + holes.length === 0 ? new Map<string, string>() : makeStandIns(folder, look)
  const plants = indexes.length === 0 ? null : join(PLANTS, newFolder(folder, PLANTS))
  const covers = plants === null ? new Map<string, number>() : plantIndexes(join(folder, plants), indexes)
  const shown = look.linesWith((path) => lstatSync(stands.get(path) ?? folder).ino, covers)
  const merged = `${latin1Name(folder)}/${MERGED}`
  const mounts = [...stands].map(
    ([path, stand]) =>
      `${escape(latin1Name(stand))} ${escape(`${merged}/${latin1Name(path)}`)} none bind,ro 0 0\n`,
  )
  const { identity, isIdentified } = look
  const hasFileMasks = masks.some(({ kind }) => kind === 'file')
  const lines = [`r ${identity}`, ...shown]
  const table = mounts.join('')
  return { root, folder, work, plants, identity, isIdentified, hasFileMasks, holes, lines, table }
}

/** Makes what stands in for hidden names, by their paths. */
function makeStandIns(folder: string, { masks, holes }: RootLook): ReadonlyMap<string, string> {
  const made = join(folder, MASKS, newFolder(folder, MASKS))
  const empty = join(made, 'empty')
  mkdirSync(empty, { mode: 0o555 })
  const stands = new Map(holes.map(({ path }) => [path, empty]))
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

/** A path in the form of a table of file systems. */
function escape(latin1: string): string {
  return latin1.replace(
    /[\s\\#]/g,
    (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`,
  )
}

function scriptOf(
  parts: readonly PreparedPart[],
  { layer, caches, programs, firstFd: tableFd, reportFd }: EntranceRequest,
  { options, hasTable }: { readonly options: string; readonly hasTable: boolean },
): string {
  const heldFd = tableFd + 1
  const listFd = heldFd + 1
  const held = `/proc/self/fd/${heldFd}`
  const find = `LC_ALL=C ${quote(programs.find)}`
  const mount = `${quote(programs.mount)} -n -c`
  // Without `volatile`, the end of a command would wait until the whole disk is written; older systems lack it.
  const overlay = (layers: string, at: string): readonly string[] => [
    `${mount} -t overlay -o ${options},volatile,${layers} overlay ${quote(at)} 2>/dev/null ||`,
    `${mount} -t overlay -o ${options},${layers} overlay ${quote(at)} || exit ${NOT_STARTED}`,
  ]
  /** Whether the folder below the layer is still held when the layer is listed. */
  const isHeld = parts.length === 1 && caches.length === 0
  const lines = [
    `changed() { echo ${CHANGED} >&${reportFd}; exit ${NOT_STARTED}; }`,
    ...parts.flatMap(({ root, folder, work, plants }, at) => {
      // Over another file system, files would otherwise show a device that no table of mounts knows.
      const inodes = statSync(root).dev === statSync(folder).dev ? '' : 'xino=on,'
      const above = plants === null ? '' : `${plants}:`
      const layers = `${inodes}lowerdir=${above}${held},upperdir=${UPPER},workdir=${WORK}/${work}`
      return [
        `cd ${quote(folder)} || exit ${NOT_STARTED}`,
        // In the new namespace, as only what was opened there can be mounted.
        `exec ${heldFd}<${quote(root)} || exit ${NOT_STARTED}`,
        ...(isHeld ? [] : [`${find} -H ${held} -maxdepth 0 -printf '${at}${ROOT_LINE}' >&${listFd}`]),
        ...overlay(layers, `${folder}/${MERGED}`),
      ]
    }),
    ...caches.flatMap((cache, at) => {
      const work = newFolder(cachePlace(layer, at, ''), WORK)
      const layers = `lowerdir=${held},upperdir=${UPPER},workdir=${WORK}/${work}`
      return [
        `cd ${quote(cachePlace(layer, at, ''))} && exec ${heldFd}<${quote(cache)} || exit ${NOT_STARTED}`,
        ...overlay(layers, cachePlace(layer, at, MERGED)),
      ]
    }),
    ...(hasTable ? [`${mount} -a -T /proc/self/fd/${tableFd} 2>/dev/null || changed`] : []),
    `exec ${tableFd}<&-`,
    ...parts.flatMap((part, at) => [
      `cd ${quote(`${part.folder}/${MERGED}`)} || changed`,
      `${find} ${argumentsToList(part, at, isHeld ? held : null)} >&${listFd} 2>/dev/null`,
    ]),
    `printf '\\0' >&${listFd}`,
    `read -r answer <&${listFd} && [ "$answer" = ${AS_EXPECTED} ] || changed`,
    `exec ${listFd}<&-`,
    ...parts.flatMap(({ root, folder, holes }) =>
      holes.flatMap(({ path, isWritable, identity }) => [
        `exec ${heldFd}<${quote(absoluteOf(root, path))} || exit ${NOT_STARTED}`,
        `[ "$(${find} -H ${held} -maxdepth 0 -printf %D:%i)" = '${identity}' ] || changed`,
        `${mount} -o bind,${isWritable ? 'rw' : 'ro'} ${held} ${quote(`${folder}/${MERGED}/${path}`)} || changed`,
      ]),
    ),
    `exec ${heldFd}<&-`,
    'cd / && exec "$@"',
  ]
  return lines.join('\n')
}

/** Which folder was mounted, in the form of a line of a listing. */
const ROOT_LINE = 'r %D:%i\\0'

/**
 * The arguments with which `find` lists the layer it is started in, in the form of the lines of a look, and the folder
 * below the layer if it is `held`. Where no file has a stand-in, names and kinds of files are all there is to check, and
 * folders tell them: looking at each file would make the system build it on the layer, which takes longer than everything
 * else here.
 */
function argumentsToList(
  { isIdentified, hasFileMasks }: PreparedPart,
  index: number,
  held: string | null,
): string {
  const inode = isIdentified ? '%i ' : ''
  const folders = [
    ...(held === null ? [] : [`-path ${held} -printf '${index}${ROOT_LINE}' -prune`]),
    '-path .',
    `-fstype overlay -printf '${index}d ${inode}%P\\0'`,
    `-printf '${index}D %i %P\\0'`,
  ]
  const kinds = [
    ['-type l', `l ${inode}%P`],
    ...(hasFileMasks ? ([['-type f -fstype overlay', 'f %P']] as const) : []),
    ['-type f', hasFileMasks ? 'm %i %P' : 'f %P'],
    ['', 'o %P'],
  ] as const
  const tests = kinds.map(([test, format]) => `${test} -printf '${index}${format}\\0'`)
  return `-H ${held ?? ''} . -xdev -type d \\( ${folders.join(' -o ')} \\) -o ${tests.join(' -o ')}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
