import type { ChangeSet } from '../../host/layer/change-set.ts'
import { withoutMarks } from '../../host/layer/folder-marks.ts'
import type { Attributes } from '../../host/fs/pax.ts'
import type { Root } from '../../host/root/root.ts'
import { digest } from '../../host/system/hash.ts'
import type { Digest } from '../../journal/entries/entry.ts'
import { formatAttributes, parseAttributes } from '../landing/attribute-cache.ts'
import { describeList } from '../../host/root/access-list.ts'
import type { HashedChange } from './file-changes.ts'
import { isUnchanged } from './landing-files.ts'
import type { OpenPart, Pause } from './layer-files.ts'
import { namesOfNew } from './new-attributes.ts'
import { readAttributesOf } from './read-attributes.ts'
import type { Attributed } from './read-attributes.ts'

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
  attributesOf: ChangeSet['attributesOf'],
  pause: Pause,
): Promise<AttributedChanges> {
  const [below, above] = [new Set<string>(), new Set<string>()]
  for (const { path, before, after } of changes) {
    if (before?.kind === 'dir') below.add(path)
    if (after?.kind === 'dir') (after.source.layer === 'lower' ? below : above).add(after.source.path)
  }
  const payloads = new Map<Digest, Uint8Array>()
  const inLower = payloadsOf(await readAttributesOf(lower, [...below].map(asFolder), pause), payloads)
  const inUpper = payloadsOf(await readUpper(upper, above, attributesOf, pause), payloads)
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
        ...(is === undefined ? {} : { afterAttributes: is, newAttributes: namesIn(is, payloads) }),
      },
    ]
  })
  return { changes: attributed, payloads }
}

function listOf(named: Digest | undefined, payloads: ReadonlyMap<Digest, Uint8Array>): string {
  const payload = named === undefined ? undefined : payloads.get(named)
  return payload === undefined ? '' : describeList(parseAttributes(payload))
}

function namesIn(named: Digest, payloads: ReadonlyMap<Digest, Uint8Array>): readonly string[] {
  const payload = payloads.get(named)
  return payload === undefined ? [] : namesOfNew(new Map(), parseAttributes(payload))
}

/** Notes attributes as payloads; returns their digests by folder. */
function payloadsOf(
  attributes: ReadonlyMap<string, Attributes>,
  payloads: Map<Digest, Uint8Array>,
): ReadonlyMap<string, Digest> {
  const digests = new Map<string, Digest>()
  for (const [folder, own] of attributes) {
    const payload = formatAttributes(withoutMarks(own))
    if (payload === null) continue
    const named = digest(payload)
    payloads.set(named, payload)
    digests.set(folder, named)
  }
  return digests
}

/** Those of the upper layer that were read with its marks are not read again. */
async function readUpper(
  upper: Root,
  folders: ReadonlySet<string>,
  attributesOf: ChangeSet['attributesOf'],
  pause: Pause,
): Promise<ReadonlyMap<string, Attributes>> {
  const known = new Map<string, Attributes>()
  for (const folder of folders) {
    const attributes = attributesOf(folder)
    if (attributes !== null) known.set(folder, attributes)
  }
  const others = [...folders].filter((folder) => !known.has(folder))
  return new Map([...known, ...(await readAttributesOf(upper, others.map(asFolder), pause))])
}

function asFolder(path: string): Attributed {
  return { path, bytes: 0 }
}
