import type { EntryFault, EntryKind, EntryStat, WalkStep } from '../../core/powers.ts'
import { HandleChain } from './handle-chain.ts'
import type { FolderSteps } from './handle-chain.ts'
import { errnoOf, ioFailure, isExhaustion } from './io-failure.ts'
import type { FolderEntry, RootWalkEntry } from './root.ts'

/** What a walk needs of the system; every step starts at a folder that is already open. */
export interface FolderAccess<Handle> extends FolderSteps<Handle> {
  readonly read: (handle: Handle) => readonly FolderEntry[]
  readonly stat: (handle: Handle, exactName: string) => EntryStat
}

interface Frame {
  readonly entries: readonly FolderEntry[]
  /** What to put before a name, in its readable and in its exact form. */
  readonly prefix: string
  readonly exactPrefix: string
  next: number
}

/**
 * Visits everything below an open folder, depth first, a folder before what it holds, without recursion. A folder
 * that was to be entered and cannot be read is visited once more, straight away, as `unknown` with its fault.
 */
export function walkFolders<Handle>(
  access: FolderAccess<Handle>,
  start: Handle,
  rel: string,
  visit: (entry: RootWalkEntry) => WalkStep,
): void {
  const chain = new HandleChain(access, start)
  try {
    const frames: Frame[] = [{ entries: readStart(access, start, rel), prefix: '', exactPrefix: '', next: 0 }]
    let frame = frames.at(-1)
    const stat = (seen: Frame, name: string): EntryStat | EntryFault =>
      statNow(access, chain, seen === frame, name)

    while (frame !== undefined) {
      const found = frame.entries[frame.next++]
      if (found === undefined) {
        frames.pop()
        frame = frames.at(-1)
        if (frame !== undefined) chain.leave()
        continue
      }
      const depth = frames.length
      const step = visit(new Visited(found, frame, depth, found.kind, null, stat))
      if (step === 'stop') return
      if (step !== 'enter' || found.kind !== 'dir') continue
      const below = readBelow(access, chain, found.exactName)
      if ('fault' in below) {
        if (visit(new Visited(found, frame, depth, 'unknown', below, stat)) === 'stop') return
        continue
      }
      const prefix = `${frame.prefix}${found.name}/`
      const exactPrefix = `${frame.exactPrefix}${found.exactName}/`
      frame = { entries: below.entries, prefix, exactPrefix, next: 0 }
      frames.push(frame)
    }
  } finally {
    chain.close()
  }
}

function readStart<Handle>(access: FolderAccess<Handle>, start: Handle, rel: string): readonly FolderEntry[] {
  try {
    return access.read(start)
  } catch (error) {
    throw ioFailure(error, 'list', rel)
  }
}

type Stat = (frame: Frame, exactName: string) => EntryStat | EntryFault

class Visited implements RootWalkEntry {
  readonly name: string
  readonly depth: number
  readonly kind: EntryKind | 'unknown'
  readonly fault: EntryFault | null
  readonly #found: FolderEntry
  readonly #frame: Frame
  readonly #stat: Stat

  constructor(
    found: FolderEntry,
    frame: Frame,
    depth: number,
    kind: EntryKind | 'unknown',
    fault: EntryFault | null,
    stat: Stat,
  ) {
    this.name = found.name
    this.depth = depth
    this.kind = kind
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

  stat(): EntryStat | EntryFault {
    return this.fault ?? this.#stat(this.#frame, this.#found.exactName)
  }
}

function statNow<Handle>(
  access: FolderAccess<Handle>,
  chain: HandleChain<Handle>,
  isVisited: boolean,
  exactName: string,
): EntryStat | EntryFault {
  if (!isVisited) return { fault: 'metadata_unavailable', message: 'the walk has left the folder' }
  try {
    return access.stat(chain.current(), exactName)
  } catch (error) {
    return faultOf(error, 'metadata_unavailable', 'look at', exactName)
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

/** What one entry suffers is told; what the whole machine suffers ends the walk. */
function faultOf(error: unknown, fallback: EntryFault['fault'], action: string, name: string): EntryFault {
  const explained = ioFailure(error, action, name)
  if (isExhaustion(error) || !(explained instanceof Error)) throw explained
  const errno = errnoOf(error)
  const isRefused = fallback === 'metadata_unavailable' && (errno === 'EACCES' || errno === 'EPERM')
  const kind = isRefused ? 'permission_denied' : errno === 'EIO' ? 'io_error' : fallback
  return { fault: kind, message: explained.message }
}
