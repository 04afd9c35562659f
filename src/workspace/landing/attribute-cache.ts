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
import { folderOf, showPath } from '../../host/root/rel-path.ts'
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
}

/** Reads the extended attributes of files and folders. That takes another process, so the results are cached. */
export interface AttributeCache {
  readonly read: (files: readonly NamedFile[]) => AttributesFound
  /** The same in steps, for many files. */
  readonly reading: (files: readonly NamedFile[]) => Generator<null, AttributesFound>
  /** Records the attributes of a file that has just landed. */
  readonly record: (root: Root, path: string, attributes: Uint8Array | null) => void
}

interface UnknownFile extends NamedFile {
  readonly stat: FileStat
  /** Whether the file has been unchanged long enough for its change time to show any later change. */
  readonly isLasting: boolean
}

/** How many files one process reads; their folders are held open during that time. */
const AT_ONCE = 100
/** The most files in the cache. */
const MAX_KNOWN = 4096

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
      const stat = file.path.isWellFormed() ? file.root.stat(file.path) : null
      if (stat === null) continue
      const found = known.get(`${stat.dev}:${stat.ino}`)
      if (found?.changedMs === stat.changedMs) take(file, found.payload)
      else unknown.push({ ...file, stat, isLasting: fileStampOf(stat) !== null })
    }
    for (let at = 0; at < unknown.length; at += AT_ONCE) {
      for (const [file, payload] of askAbout(unknown.slice(at, at + AT_ONCE))) {
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
  }
}

/** The name of a folder in itself. */
const HERE = Buffer.from('.')

/** Reads several files with one process. All folders are lent together: a path through one is valid only that long. */
function askAbout(files: readonly UnknownFile[]): readonly (readonly [UnknownFile, Uint8Array | null])[] {
  const lend = (rest: readonly UnknownFile[], paths: readonly string[]): ReadonlySet<number> => {
    const [next, ...others] = rest
    if (next === undefined) return findAttributed(paths)
    const name = next.path.slice(next.path.lastIndexOf('/') + 1)
    return next.root.lendFolder(folderOf(next.path), (folder) =>
      lend(others, [...paths, `${folder}/${name}`]),
    )
  }
  const marked = lend(files, [])
  return files.map((file, at) => [file, marked.has(at) ? readOne(file) : null])
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
