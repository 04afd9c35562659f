import { Buffer } from 'node:buffer'
import { failure, ToolFailure } from '../../core/error.ts'
import {
  supportsAttributes,
  findAttributed,
  readAttributes,
  readFolderAttributes,
} from '../../host/fs/attributes.ts'
import { digest } from '../../host/system/hash.ts'
import { runSteps } from '../../host/system/steps.ts'
import type { Attributes } from '../../host/fs/pax.ts'
import { folderOf, nameOf, showPath } from '../../host/root/rel-path.ts'
import type { FileStat, Root } from '../../host/root/root.ts'
import { fileStampOf } from '../../host/root/file-stat.ts'
import type { Digest } from '../../journal/entries/entry.ts'
import { placeOf } from './place-of.ts'

/** The extended attributes of some files: digests by place, and the payloads they name. Most files have none. */
export interface AttributesFound {
  readonly digests: ReadonlyMap<string, Digest>
  readonly payloads: ReadonlyMap<Digest, Uint8Array>
}

/** A file or folder below a root. */
interface NamedFile {
  readonly root: Root
  readonly path: string
  /** If it was looked at just now. */
  readonly stat?: FileStat
}

/** Reads the extended attributes of files and folders. That takes another process, so the results are cached. */
export interface AttributeCache {
  readonly read: (files: readonly NamedFile[]) => AttributesFound
  /** The same in steps, for many files. */
  readonly reading: (files: readonly NamedFile[]) => Generator<null, AttributesFound>
  /** Records the attributes of a file that has just landed. */
  readonly record: (root: Root, path: string, attributes: Uint8Array | null) => void
  /** Takes note that a file had none at this time, in epoch milliseconds; it was looked at before. */
  readonly noteNone: (stat: FileStat, seenMs: number) => void
}

interface UnknownFile extends NamedFile {
  readonly stat: FileStat
  /** Whether the file has been unchanged long enough for its change time to show any later change. */
  readonly isLasting: boolean
}

/** How many files one process reads, in how many folders: a root holds no more of them open at a time. */
const AT_ONCE = { files: 100, folders: 32 }
/** As many files as one command may change. */
const MAX_KNOWN = 200_000

/** Creates the cache. Changing attributes changes the change time of the file, so an entry is valid until that differs. */
export function createAttributeCache(): AttributeCache {
  /** By device and inode; a null payload means no attributes. */
  const known = new Map<string, { readonly changedMs: number; readonly payload: Uint8Array | null }>()

  const cacheFile = ({ dev, ino, changedMs }: FileStat, payload: Uint8Array | null): void => {
    const [oldest] = known.size >= MAX_KNOWN ? known.keys() : []
    if (oldest !== undefined) known.delete(oldest)
    known.set(`${dev}:${ino}`, { changedMs, payload })
  }

  function* reading(files: readonly NamedFile[]): Generator<null, AttributesFound> {
    const digests = new Map<string, Digest>()
    const payloads = new Map<Digest, Uint8Array>()
    const take = ({ root, path }: NamedFile, payload: Uint8Array | null): void => {
      if (payload === null) return
      const named = digest(payload)
      digests.set(placeOf(root.path, path), named)
      payloads.set(named, payload)
    }
    const unknown: UnknownFile[] = []
    for (const file of supportsAttributes() ? files : []) {
      yield null
      // A name that is not UTF-8 cannot be passed to another process.
      const stat = file.path.isWellFormed() ? (file.stat ?? file.root.stat(file.path)) : null
      if (stat === null) continue
      const found = known.get(`${stat.dev}:${stat.ino}`)
      if (found?.changedMs === stat.changedMs) take(file, found.payload)
      else unknown.push({ ...file, stat, isLasting: fileStampOf(stat) !== null })
    }
    for (const some of inFolders(unknown)) {
      for (const [file, payload] of askAbout(some)) {
        if (file.isLasting) cacheFile(file.stat, payload)
        take(file, payload)
      }
      yield null
    }
    return { digests, payloads }
  }

  return {
    read: (files) => runSteps(reading(files)),
    reading,
    record(root, path, attributes) {
      try {
        const stat = supportsAttributes() ? root.stat(path) : null
        if (stat !== null) cacheFile(stat, attributes)
      } catch (thrown) {
        // Then its attributes are read once more than needed.
        if (!(thrown instanceof ToolFailure)) throw thrown
      }
    },
    noteNone: (stat, seenMs) => {
      if (fileStampOf(stat, seenMs) !== null) cacheFile(stat, null)
    },
  }
}

/** As many files at a time as are asked about together, by the folders they are in. */
function* inFolders(files: readonly UnknownFile[]): Generator<ReadonlyMap<string, readonly UnknownFile[]>> {
  let folders = new Map<string, UnknownFile[]>()
  let count = 0
  for (const file of files) {
    const place = placeOf(file.root.path, folderOf(file.path))
    const known = folders.get(place)
    if (count === AT_ONCE.files || (known === undefined && folders.size === AT_ONCE.folders)) {
      yield folders
      folders = new Map([[place, [file]]])
      count = 0
    } else if (known === undefined) folders.set(place, [file])
    else known.push(file)
    count++
  }
  if (count > 0) yield folders
}

/** The name of a folder in itself. */
const HERE = Buffer.from('.')

/** Reads several files with one process. All folders are lent together: a path through one is valid only that long. */
function askAbout(
  folders: ReadonlyMap<string, readonly UnknownFile[]>,
): readonly (readonly [UnknownFile, Uint8Array | null])[] {
  const all = [...folders.values()]
  const paths: string[] = []
  const lend = (at: number): ReadonlySet<number> => {
    const files = all[at]
    const [first] = files ?? []
    if (files === undefined || first === undefined) return findAttributed(paths)
    return first.root.lendFolder(folderOf(first.path), (folder) => {
      for (const { path } of files) paths.push(`${folder}/${nameOf(path)}`)
      return lend(at + 1)
    })
  }
  const marked = lend(0)
  return all.flat().map((file, at) => [file, marked.has(at) ? readOne(file) : null])
}

function readOne(file: UnknownFile): Uint8Array | null {
  const attributes = readIfPossible(file)
  if (attributes !== null) return formatAttributes(attributes)
  // Found out only now: this machine has no program that reads them.
  if (!supportsAttributes()) return null
  // Without its access list, what the mode says about the group would be more than the group may do now.
  throw failure(
    'execution_failed',
    `The extended attributes of ${showPath(file.path)} cannot be read.`,
    { path: file.path },
    ['Try again if something else was changing it; nothing was changed.'],
  )
}

function readIfPossible({ root, path, stat }: UnknownFile): Attributes | null {
  if (stat.kind === 'dir')
    return root.lendFolder(path, (folder) => readFolderAttributes(folder, [HERE]))?.[0] ?? null
  const file = root.openFile(path)
  try {
    return readAttributes(file.systemPath)
  } finally {
    file.close()
  }
}

/** Attributes as the journal stores them; null if there are none. */
export function formatAttributes(attributes: Attributes): Uint8Array | null {
  if (attributes.size === 0) return null
  const sorted = [...attributes].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const text = sorted.map(([name, value]) => [name, Buffer.from(value).toString('base64')])
  return new TextEncoder().encode(JSON.stringify(text))
}

/** Parses attributes from the journal. */
export function parseAttributes(payload: Uint8Array): Attributes {
  const pairs = JSON.parse(new TextDecoder().decode(payload)) as readonly (readonly [string, string])[]
  return new Map(pairs.map(([name, value]) => [name, Buffer.from(value, 'base64')]))
}
