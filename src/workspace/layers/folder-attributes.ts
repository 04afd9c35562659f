import { OVERLAY_PREFIXES, readAttributesIn } from '../../host/layer/folder-marks.ts'
import type { Attributes } from '../../host/fs/pax.ts'
import type { Root } from '../../host/root/root.ts'
import { digest } from '../../host/system/hash.ts'
import type { Digest } from '../../journal/entries/entry.ts'
import { describeList, formatAttributes, parseAttributes } from '../landing/attribute-cache.ts'
import type { HashedChange } from './file-changes.ts'
import { isUnchanged } from './landing-files.ts'
import type { OpenPart, Pause } from './layer-files.ts'

/** How many folders are read before other work goes on. */
const AT_ONCE = 2_000

/** Changes whose folders name their extended attributes, and what these are. */
export interface AttributedChanges {
  readonly changes: readonly HashedChange[]
  readonly payloads: ReadonlyMap<Digest, Uint8Array>
}

/**
 * Reads the extended attributes of folders that come or go. Files keep theirs by being moved; folders are made anew. One that
 * stays keeps its own, as undo could not remove what a command added.
 */
export async function withFolderAttributes(
  { lower, upper }: OpenPart,
  changes: readonly HashedChange[],
  pause: Pause,
): Promise<AttributedChanges> {
  const [below, above] = [new Set<string>(), new Set<string>()]
  for (const { path, before, after } of changes) {
    if (before?.kind === 'dir') below.add(path)
    if (after?.kind === 'dir') (after.source.layer === 'lower' ? below : above).add(after.source.path)
  }
  const payloads = new Map<Digest, Uint8Array>()
  const inLower = await readAll(lower, [...below], payloads, pause)
  const inUpper = await readAll(upper, [...above], payloads, pause)
  if (payloads.size === 0) return { changes, payloads }
  const attributed = changes.flatMap((change): readonly HashedChange[] => {
    const { path, before, after } = change
    const was = before?.kind === 'dir' ? inLower.get(path) : undefined
    const source = after?.kind === 'dir' ? after.source : null
    const is = source === null ? undefined : (source.layer === 'lower' ? inLower : inUpper).get(source.path)
    if (before?.kind === 'dir' && after?.kind === 'dir') {
      if (listOf(was, payloads) === listOf(is, payloads)) return [change]
      // With an access list, what the mode says about the group is the limit of that list.
      const mode = (after.mode & ~0o070) | (before.mode & 0o070)
      const kept = { ...change, after: { ...after, mode } }
      return isUnchanged(kept) ? [] : [kept]
    }
    return [
      {
        ...change,
        ...(was === undefined ? {} : { beforeAttributes: was }),
        ...(is === undefined ? {} : { afterAttributes: is }),
      },
    ]
  })
  return { changes: attributed, payloads }
}

function listOf(named: Digest | undefined, payloads: ReadonlyMap<Digest, Uint8Array>): string {
  const payload = named === undefined ? undefined : payloads.get(named)
  return payload === undefined ? '' : describeList(parseAttributes(payload))
}

async function readAll(
  root: Root,
  folders: readonly string[],
  payloads: Map<Digest, Uint8Array>,
  pause: Pause,
): Promise<ReadonlyMap<string, Digest>> {
  const digests = new Map<string, Digest>()
  for (let at = 0; at < folders.length; at += AT_ONCE) {
    const some = folders.slice(at, at + AT_ONCE)
    for (const [index, attributes] of (readAttributesIn(root, some) ?? []).entries()) {
      const payload = formatAttributes(withoutMarks(attributes))
      const folder = some[index]
      if (payload === null || folder === undefined) continue
      const named = digest(payload)
      payloads.set(named, payload)
      digests.set(folder, named)
    }
    const waiting = pause()
    if (waiting !== undefined) await waiting
  }
  return digests
}

function isMark(name: string): boolean {
  return OVERLAY_PREFIXES.some((prefix) => name.startsWith(prefix))
}

function withoutMarks(attributes: Attributes): Attributes {
  return new Map([...attributes].filter(([name]) => !isMark(name)))
}
