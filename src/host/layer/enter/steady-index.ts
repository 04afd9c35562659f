import { Buffer, isUtf8 } from 'node:buffer'
import { trimEndOf } from '../../../core/text/trim-end.ts'
import { hash } from 'node:crypto'
import { resolve } from 'node:path'
import { ToolFailure } from '../../../core/error.ts'
import { MAX_INDEX_BYTES } from '../../git/git-index.ts'
import { HASH_SIZES, STAT_BYTES, visitIndex } from '../../git/index-entries.ts'
import { latin1Name } from '../../root/exact-name.ts'
import { resolveOrNull } from '../../root/io-failure.ts'
import { absoluteOf, folderOf, joinRel } from '../../root/rel-path.ts'
import { hasOddPart } from '../../root/resolve-links.ts'
import type { FileStat, Root } from '../../root/root.ts'
import { statOrNull } from '../../root/stat-plain.ts'
import { isRootOfSystem } from '../../system/process.ts'
import type { Mask } from './mask.ts'

/** An index of git as a command sees it, with the folders above it. */
export interface SteadyIndex {
  /** Relative to the root. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly stat: FileStat
  /** From the outermost. */
  readonly folders: readonly { readonly path: string; readonly stat: FileStat }[]
}

/** What hides files from a command, and the indexes that go with it. */
export interface SteadyView {
  readonly masks: readonly Mask[]
  readonly indexes: readonly SteadyIndex[]
}

/** Where an entry has what git compares. */
const MODIFIED_AT = 8
const SIZE_AT = 36
/** Which side of a conflict an entry is for. */
const STAGE_MASK = 0x3000
/** A larger hidden file is not hashed. */
const MAX_HASHED_BYTES = 8 * 1024 ** 2

/**
 * Lets git take hidden files that are tracked for unchanged. Git reads a file again that is as young as its index, as
 * after a clone, or whose time is another than the index says, and a stand-in cannot be read. So such a file is read
 * here: if it is what the index says, its stand-in and its entry in the index that the command sees get the same time,
 * one before that of the index. A file that was really changed shows as changed.
 */
export function steadyIndexes(root: Root, masks: readonly Mask[]): SteadyView {
  const shown = masks.map((mask) => (mask.kind === 'folder' ? withTracked(root, mask) : mask))
  const files = shown.flatMap((mask) => (mask.kind === 'file' ? [mask] : (mask.tracked ?? [])))
  const work = Map.groupBy(files, ({ path }) => findWorkTree(root, path))
  const times = new Map<string, number>()
  const indexes = [...work].flatMap(([tree, some]): readonly SteadyIndex[] => {
    const index = tree === null ? null : steadyIndex(root, tree, some)
    if (index === null) return []
    for (const path of index.steadied) times.set(path, index.modifiedMs)
    return [index]
  })
  if (indexes.length === 0) return { masks: shown, indexes }
  const steady = (mask: Mask): Mask => ({
    ...mask,
    modifiedMs: times.get(mask.path) ?? mask.modifiedMs,
    ...(mask.tracked === undefined ? {} : { tracked: mask.tracked.map(steady) }),
  })
  return { masks: shown.map(steady), indexes }
}

/** Of a hidden folder with more tracked files none is shown. */
const MAX_TRACKED = 10_000

/** A hidden folder with the files in it that git tracks. */
function withTracked(root: Root, mask: Mask): Mask {
  const tree = findWorkTree(root, mask.path)
  const path = tree === null ? null : findIndex(root, tree)
  const bytes = path === null ? null : readAll(root, path, MAX_INDEX_BYTES)
  if (tree === null || bytes === null) return mask
  const below = Buffer.from(`${latin1Name(mask.path.slice(tree === '' ? 0 : tree.length + 1))}/`, 'latin1')
  for (const hashBytes of HASH_SIZES) {
    const names = new Set<string>()
    const parsed = visitIndex(bytes, hashBytes, ({ name }) => {
      const found = name()
      if (!found.subarray(0, below.length).equals(below) || !isUtf8(found)) return
      const text = found.toString('utf8')
      // Anyone can write an index, and stand-ins are made at these names.
      if (!hasOddPart(text)) names.add(text)
    })
    if (parsed === undefined) continue
    if (names.size === 0 || names.size > MAX_TRACKED) return mask
    return { ...mask, tracked: [...names].flatMap((name) => maskFile(root, joinRel(tree, name))) }
  }
  return mask
}

/** Nothing if it is not a file, or cannot be looked at. */
function maskFile(root: Root, path: string): readonly Mask[] {
  const stat = statOrNull(root, path)
  return stat?.kind === 'file' ? [{ path, kind: 'file', size: stat.size, modifiedMs: stat.modifiedMs }] : []
}

/** The innermost folder above a path that has a repository. */
function findWorkTree(root: Root, path: string): string | null {
  for (let at = folderOf(path); ; at = folderOf(at)) {
    if (root.stat(joinRel(at, '.git')) !== null) return at
    if (at === '') return null
  }
}

/** The index of a work tree; null if it lies elsewhere. */
function findIndex(root: Root, tree: string): string | null {
  const git = joinRel(tree, '.git')
  const kind = root.stat(git)?.kind
  if (kind === 'dir') return `${git}/index`
  if (kind !== 'file') return null
  const said = /^gitdir: (.+)$/s.exec(readAll(root, git, MAX_POINTER_BYTES)?.toString('utf8') ?? '')?.[1]
  if (said === undefined) return null
  const found = resolveOrNull(root, resolve(absoluteOf(root.path, tree), trimEndOf(said, '\n')))
  return found?.isInside === true && found.kind === 'dir' ? `${found.rel}/index` : null
}

const MAX_POINTER_BYTES = 4_096

interface Steadied extends SteadyIndex {
  readonly steadied: readonly string[]
  readonly modifiedMs: number
}

/** The index of a work tree with the hidden files that are unchanged made to look so; null if there are none. */
function steadyIndex(root: Root, tree: string, masks: readonly Mask[]): Steadied | null {
  const path = findIndex(root, tree)
  const stat = path === null ? null : root.stat(path)
  const bytes = path === null || stat?.kind !== 'file' ? null : readAll(root, path, MAX_INDEX_BYTES)
  if (path === null || stat === null || bytes === null) return null
  const folders = foldersAbove(root, path)
  if (![stat, ...folders.map((one) => one.stat)].every(isImitable)) return null
  const seconds = Math.floor(stat.modifiedMs / 1000)
  const wanted = new Map(
    masks.map((mask) => [latin1Name(mask.path.slice(tree === '' ? 0 : tree.length + 1)), mask]),
  )
  for (const hashBytes of HASH_SIZES) {
    const unsteady: { readonly at: number; readonly mask: Mask }[] = []
    const named = new Set<Mask>()
    let isOdd = false
    const parsed = visitIndex(bytes, hashBytes, ({ at, flagsAt, name }) => {
      const mask = wanted.get(name().toString('latin1'))
      if (mask === undefined || (bytes.readUInt16BE(flagsAt) & STAGE_MASK) !== 0) return
      isOdd ||= named.has(mask)
      named.add(mask)
      const modified = bytes.readUInt32BE(at + MODIFIED_AT)
      const isAlike =
        modified === Math.floor(mask.modifiedMs / 1000) && bytes.readUInt32BE(at + SIZE_AT) === mask.size
      if (!isAlike || modified >= seconds) unsteady.push({ at, mask })
    })
    if (parsed === undefined) continue
    // Git names a file once. With many guesses at its content, a command could see which one is right.
    if (isOdd) return null
    const same = unsteady.filter(({ at, mask }) =>
      isContent(root, mask.path, bytes.subarray(at + STAT_BYTES, at + STAT_BYTES + hashBytes)),
    )
    if (same.length === 0) return null
    for (const { at, mask } of same) {
      bytes.writeUInt32BE(seconds - 1, at + MODIFIED_AT)
      bytes.writeUInt32BE(mask.size, at + SIZE_AT)
    }
    writeChecksum(bytes, hashBytes)
    const steadied = same.map(({ mask }) => mask.path)
    return { path, bytes, stat, folders, steadied, modifiedMs: (seconds - 1) * 1000 }
  }
  return null
}

function foldersAbove(root: Root, path: string): SteadyIndex['folders'] {
  const folders: { path: string; stat: FileStat }[] = []
  for (let at = folderOf(path); at !== ''; at = folderOf(at)) {
    const stat = root.stat(at)
    if (stat !== null) folders.unshift({ path: at, stat })
  }
  return folders
}

/** Whether this user can make something with the same owner, so that it does not look as if the command had changed it. */
function isImitable({ uid, gid }: FileStat): boolean {
  if (isRootOfSystem()) return true
  return (
    uid === process.geteuid?.() &&
    (gid === process.getegid?.() || (process.getgroups?.() ?? []).includes(gid))
  )
}

/** Whether a file has the content of a blob, as it is or with the line ends that git stores. */
function isContent(root: Root, path: string, name: Buffer): boolean {
  const content = readAll(root, path, MAX_HASHED_BYTES)
  if (content === null) return false
  const plain = Buffer.from(content.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
  return [content, plain].some((bytes) => blobName(bytes, name.length).equals(name))
}

function blobName(content: Buffer, hashBytes: number): Buffer {
  return sum(Buffer.concat([Buffer.from(`blob ${content.length}\0`), content]), hashBytes)
}

function sum(bytes: Buffer, hashBytes: number): Buffer {
  return hash(hashBytes === HASH_SIZES[0] ? 'sha1' : 'sha256', bytes, 'buffer')
}

/** Some repositories have zeros in place of a checksum. */
function writeChecksum(bytes: Buffer, hashBytes: number): void {
  const end = bytes.length - hashBytes
  if (bytes.subarray(end).some((byte) => byte !== 0)) sum(bytes.subarray(0, end), hashBytes).copy(bytes, end)
}

/** The content of a file; null if it cannot be read or is too large. */
function readAll(root: Root, path: string, maxBytes: number): Buffer | null {
  try {
    const file = root.openFile(path)
    try {
      return Buffer.from(file.readAll(maxBytes))
    } finally {
      file.close()
    }
  } catch (thrown) {
    if (thrown instanceof ToolFailure) return null
    throw thrown
  }
}
