import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
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
import { writeStandIn } from './stand-in.ts'

/** The programs that put a command on a layer, by their absolute paths. */
export interface LayerPrograms {
  readonly unshare: string
  readonly mount: string
  readonly env: string
  readonly sh: string
  readonly find: string
  readonly sort: string
  readonly sha256sum: string
}

/** What the script reports if the workspace is not as it was looked at. */
export const CHANGED = 'changed'

/** The exit code of a script that did not start the command. */
const NOT_STARTED = 125
const FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin']

/** Finds the programs; names the first that is missing or that users other than root can change. */
export function findLayerPrograms(): LayerPrograms | { readonly missing: string } {
  const found: Record<string, string> = {}
  for (const name of ['unshare', 'mount', 'env', 'sh', 'find', 'sort', 'sha256sum'] as const) {
    const program = findTrustedProgram(FOLDERS.map((folder) => join(folder, name)))
    if (program === null) return { missing: name }
    found[name] = program
  }
  return found as unknown as LayerPrograms
}

/** How a command is started on a layer: the words before its own, and the stand-ins, which they read from a descriptor. */
export interface Entrance {
  readonly argv: readonly string[]
  /** For the descriptors from the first on. */
  readonly inputs: readonly Uint8Array[]
}

/** What is needed to put a command on a layer. */
export interface EntranceRequest {
  readonly layer: Layer
  /** One for each part. */
  readonly looks: readonly RootLook[]
  readonly programs: LayerPrograms
  /** Folders outside the roots that a command may change on layers of their own, which never land. */
  readonly caches: readonly string[]
  /** The first of two descriptors that the script uses and closes; both below 10, as shells name no others. */
  readonly firstFd: number
  readonly reportFd: number
}

/**
 * Builds the start of a command line that mounts the layer, hides what is hidden on it, checks that what it shows is what
 * was looked at, and goes on with the words after it. The mounts vanish with the last process in their namespace. Root
 * needs no user namespace for them; without one, commands can rename folders.
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
  return {
    inputs: [Buffer.from(table, 'latin1'), new Uint8Array()],
    argv: [programs.unshare, isRoot ? '-m' : '-Urm', '--', programs.sh, '-c', script, 'tongs'],
  }
}

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
  readonly digest: string
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
  const digest = look.digestWith((path) => lstatSync(stands.get(path) ?? folder).ino, covers)
  const merged = `${latin1Name(folder)}/${MERGED}`
  const lines = [...stands].map(
    ([path, stand]) =>
      `${escape(latin1Name(stand))} ${escape(`${merged}/${latin1Name(path)}`)} none bind,ro 0 0\n`,
  )
  const { identity, isIdentified } = look
  const hasFileMasks = masks.some(({ kind }) => kind === 'file')
  const table = lines.join('')
  return { root, folder, work, plants, identity, isIdentified, hasFileMasks, holes, digest, table }
}

/** Makes what stands in for hidden names, by their paths. */
function makeStandIns(folder: string, { masks, holes }: RootLook): ReadonlyMap<string, string> {
  const made = join(folder, MASKS, newFolder(folder, MASKS))
  const empty = join(made, 'empty')
  mkdirSync(empty, { mode: 0o555 })
  const stands = new Map(holes.map(({ path }) => [path, empty]))
  for (const [at, mask] of masks.entries()) {
    if (mask.kind === 'file') writeStandIn(join(made, `${at}`), mask)
    stands.set(mask.path, mask.kind === 'file' ? join(made, `${at}`) : empty)
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

/** No variable of the command reaches the script, and mount, which obeys some, gets none at all. */
function scriptOf(
  parts: readonly PreparedPart[],
  { layer, caches, programs, firstFd: tableFd, reportFd }: EntranceRequest,
  { options, hasTable }: { readonly options: string; readonly hasTable: boolean },
): string {
  const heldFd = tableFd + 1
  /** Opens a folder in the new namespace, as it can be mounted only there, and makes sure that it is the right one. */
  const hold = (path: string, identity: string): readonly string[] => [
    `exec ${heldFd}<${quote(path)} || exit ${NOT_STARTED}`,
    `[ "$(${quote(programs.find)} -H /proc/self/fd/${heldFd} -maxdepth 0 -printf %D:%i)" = '${identity}' ] || changed`,
  ]
  const mount = `${quote(programs.env)} -i ${quote(programs.mount)} -n -c`
  // Without `volatile`, the end of a command would wait until the whole disk is written; older systems lack it.
  const overlay = (layers: string, at: string): readonly string[] => [
    `${mount} -t overlay -o ${options},volatile,${layers} overlay ${quote(at)} 2>/dev/null ||`,
    `${mount} -t overlay -o ${options},${layers} overlay ${quote(at)} || exit ${NOT_STARTED}`,
  ]
  const lines = [
    `changed() { echo ${CHANGED} >&${reportFd}; exit ${NOT_STARTED}; }`,
    ...parts.flatMap(({ root, folder, work, plants, identity }) => {
      // Over another file system, files would otherwise show a device that no table of mounts knows.
      const inodes = statSync(root).dev === statSync(folder).dev ? '' : 'xino=on,'
      const above = plants === null ? '' : `${plants}:`
      const layers = `${inodes}lowerdir=${above}/proc/self/fd/${heldFd},upperdir=${UPPER},workdir=${WORK}/${work}`
      return [
        `cd ${quote(folder)} || exit ${NOT_STARTED}`,
        ...hold(root, identity),
        ...overlay(layers, `${folder}/${MERGED}`),
      ]
    }),
    ...caches.flatMap((cache, at) => {
      const work = newFolder(cachePlace(layer, at, ''), WORK)
      const layers = `lowerdir=/proc/self/fd/${heldFd},upperdir=${UPPER},workdir=${WORK}/${work}`
      return [
        `cd ${quote(cachePlace(layer, at, ''))} && exec ${heldFd}<${quote(cache)} || exit ${NOT_STARTED}`,
        ...overlay(layers, cachePlace(layer, at, MERGED)),
      ]
    }),
    ...(hasTable ? [`${mount} -a -T /proc/self/fd/${tableFd} 2>/dev/null || changed`] : []),
    `exec ${tableFd}<&-`,
    ...parts.map((part) => {
      const shown = `${listing(programs, part)} 2>/dev/null`
      const sorted = `LC_ALL=C ${quote(programs.sort)} -z | ${quote(programs.sha256sum)}`
      return `[ "$(LC_ALL=C ${shown} | ${sorted})" = '${part.digest}  -' ] || changed`
    }),
    ...parts.flatMap(({ root, folder, holes }) =>
      holes.flatMap(({ path, isWritable, identity }) => [
        ...hold(absoluteOf(root, path), identity),
        `${mount} -o bind,${isWritable ? 'rw' : 'ro'} /proc/self/fd/${heldFd} ${quote(`${folder}/${MERGED}/${path}`)} || changed`,
      ]),
    ),
    `exec ${heldFd}<&-`,
    'cd / && exec "$@"',
  ]
  return lines.join('\n')
}

/**
 * The program and arguments that list a layer in the form that the digest of a look is made of. Where no file has a
 * stand-in, names and kinds of files are all there is to check, and folders tell them: looking at each file would make
 * the system build it on the layer, which takes longer than everything else here.
 */
function listing({ find }: LayerPrograms, { folder, isIdentified, hasFileMasks }: PreparedPart): string {
  const inode = isIdentified ? '%i ' : ''
  const kinds = [
    ['-type d -fstype overlay', `d ${inode}%P`],
    ['-type d', 'D %i %P'],
    ['-type l', `l ${inode}%P`],
    ...(hasFileMasks ? ([['-type f -fstype overlay', 'f %P']] as const) : []),
    ['-type f', hasFileMasks ? 'm %i %P' : 'f %P'],
    ['', 'o %P'],
  ] as const
  const tests = kinds.map(([test, format]) => `${test} -printf '${format}\\0'`)
  return `${quote(find)} ${quote(`${folder}/${MERGED}`)} -xdev -mindepth 1 ${tests.join(' -o ')}`
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
