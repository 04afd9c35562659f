import type { EntryFault, EntryKind, WalkStep } from '../../core/powers.ts'
import { HandleChain } from './handle-chain.ts'
import type { FolderSteps } from './handle-chain.ts'
import { errnoOf } from '../fs/errno.ts'
import { ioFailure, isExhaustion } from './io-failure.ts'
import type { FileStat, FolderEntry, RootWalk, RootWalkEntry, WalkOrder } from './root.ts'
import { compareCodePoints } from '../../core/text/compare.ts'

/** The file system access of a walk; every step starts at a folder that is already open. */
export interface FolderAccess<Handle> extends FolderSteps<Handle> {
  readonly read: (handle: Handle) => readonly FolderEntry[]
  readonly stat: (handle: Handle, exactName: string) => FileStat
}

interface Frame {
  readonly entries: readonly FolderEntry[]
  /** The prefix of a name, in readable and in exact form. */
  readonly prefix: string
  readonly exactPrefix: string
  /** The depth of its entries, from 1. */
  readonly depth: number
  next: number
}

/**
 * Visits everything below an open folder, depth first, a folder before its entries, without recursion. If a folder
 * cannot be read on entering, it is visited again at once, as `unknown` with its fault.
 */
export function walkFolders<Handle>(
  access: FolderAccess<Handle>,
  start: Handle,
  rel: string,
  visit: (entry: RootWalkEntry) => WalkStep,
): void {
  const walk = new FolderWalk(access, start, rel, 'name')
  try {
    for (let entry = walk.next(); entry !== null; entry = walk.next()) {
      const step = visit(entry)
      if (step === 'stop') return
      if (step !== 'enter' || entry.kind !== 'dir') continue
      const refused = walk.enter()
      if (refused !== null && visit(refused) === 'stop') return
    }
  } finally {
    walk.close()
  }
}

/** A walk below an open folder that the caller controls and must close. */
export class FolderWalk<Handle> implements RootWalk {
  readonly #access: FolderAccess<Handle>
  readonly #order: WalkOrder
  readonly #chain: HandleChain<Handle>
  readonly #frames: Frame[] = []
  #frame: Frame | undefined
  #last: FolderEntry | null = null

  constructor(access: FolderAccess<Handle>, start: Handle, rel: string, order: WalkOrder) {
    this.#access = access
    this.#order = order
    this.#chain = new HandleChain(access, start)
    try {
      this.#push(access.read(start), '', '')
    } catch (error) {
      this.#chain.close()
      throw ioFailure(error, 'list', rel)
    }
  }

  next(): RootWalkEntry | null {
    while (this.#frame !== undefined) {
      const found = this.#frame.entries[this.#frame.next++]
      if (found !== undefined) {
        this.#last = found
        return new Visited(found, this.#frame, null, this.#stat)
      }
      this.#frames.pop()
      this.#frame = this.#frames.at(-1)
      if (this.#frame !== undefined) this.#chain.leave()
    }
    this.#last = null
    return null
  }

  enter(): RootWalkEntry | null {
    const found = this.#last
    const frame = this.#frame
    if (found === null || frame === undefined) throw new Error('the walk is not at a folder')
    const below = readBelow(this.#access, this.#chain, found.exactName)
    if ('fault' in below) return new Visited(found, frame, below, this.#stat)
    this.#last = null
    this.#push(below.entries, `${frame.prefix}${found.name}/`, `${frame.exactPrefix}${found.exactName}/`)
    return null
  }

  holds(exactName: string): boolean {
    return this.#frame?.entries.some((entry) => entry.exactName === exactName) ?? false
  }

  close(): void {
    this.#frame = undefined
    this.#chain.close()
  }

  #push(entries: readonly FolderEntry[], prefix: string, exactPrefix: string): void {
    const ordered = this.#order === 'path' ? inPathOrder(entries) : entries
    this.#frame = { entries: ordered, prefix, exactPrefix, depth: this.#frames.length + 1, next: 0 }
    this.#frames.push(this.#frame)
  }

  readonly #stat = (seen: Frame, name: string): FileStat | EntryFault =>
    statNow(this.#access, this.#chain, seen === this.#frame, name)
}

type Stat = (frame: Frame, exactName: string) => FileStat | EntryFault

class Visited implements RootWalkEntry {
  readonly name: string
  readonly depth: number
  readonly kind: EntryKind | 'unknown'
  readonly fault: EntryFault | null
  readonly #found: FolderEntry
  readonly #frame: Frame
  readonly #stat: Stat

  constructor(found: FolderEntry, frame: Frame, fault: EntryFault | null, stat: Stat) {
    this.name = found.name
    this.depth = frame.depth
    this.kind = fault === null ? found.kind : 'unknown'
    this.fault = fault
    this.#found = found
    this.#frame = frame
    this.#stat = stat
  }

  get path(): string {
    return this.#frame.prefix + this.name
  }

  get exactPath(): string {
    return this.#frame.exactPrefix + this.#found.exactName
  }

  stat(): FileStat | EntryFault {
    return this.fault ?? this.#stat(this.#frame, this.#found.exactName)
  }
}

function statNow<Handle>(
  access: FolderAccess<Handle>,
  chain: HandleChain<Handle>,
  isVisited: boolean,
  exactName: string,
): FileStat | EntryFault {
  if (!isVisited) return { fault: 'metadata_unavailable', message: 'the walk has left the folder' }
  try {
    return access.stat(chain.current(), exactName)
  } catch (error) {
    return faultOf(error, 'metadata_unavailable', 'inspect', exactName)
  }
}

function readBelow<Handle>(
  access: FolderAccess<Handle>,
  chain: HandleChain<Handle>,
  exactName: string,
): { readonly entries: readonly FolderEntry[] } | EntryFault {
  const depth = chain.depth
  try {
    return { entries: access.read(chain.enter(exactName)) }
  } catch (error) {
    if (chain.depth > depth) chain.leave()
    return faultOf(error, 'read_dir_failed', 'list', exactName)
  }
}

/** A fault of one entry is reported with it; exhaustion of the machine ends the walk. */
function faultOf(error: unknown, fallback: EntryFault['fault'], action: string, name: string): EntryFault {
  const explained = ioFailure(error, action, name)
  if (isExhaustion(error) || !(explained instanceof Error)) throw explained
  const errno = errnoOf(error)
  const isRefused = fallback === 'metadata_unavailable' && (errno === 'EACCES' || errno === 'EPERM')
  const kind = isRefused ? 'permission_denied' : errno === 'EIO' ? 'io_error' : fallback
  return { fault: kind, message: explained.message }
}

const SLASH = 0x2f

/** Reorders entries of one folder from name order to the order of whole paths: the content of `a` comes after `a.txt`. */
function inPathOrder(entries: readonly FolderEntry[]): readonly FolderEntry[] {
  return entries.some(isOutOfPlace) ? entries.toSorted(compareByPath) : entries
}

/** A folder is out of place if the next name is its own name plus a character that sorts before a slash. */
function isOutOfPlace(entry: FolderEntry, at: number, entries: readonly FolderEntry[]): boolean {
  const next = entries[at + 1]
  return (
    entry.kind === 'dir' &&
    next !== undefined &&
    next.name.startsWith(entry.name) &&
    isBeforeSlash(next, entry)
  )
}

function isBeforeSlash(longer: FolderEntry, shorter: FolderEntry): boolean {
  return longer.name.length > shorter.name.length && longer.name.charCodeAt(shorter.name.length) < SLASH
}

function compareByPath(a: FolderEntry, b: FolderEntry): number {
  return compareCodePoints(pathName(a), pathName(b)) || compareCodePoints(a.exactName, b.exactName)
}

function pathName({ name, kind }: FolderEntry): string {
  return kind === 'dir' ? `${name}/` : name
}
