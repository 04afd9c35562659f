import { basename, dirname } from 'node:path'
import { Buffer } from 'node:buffer'
import { openUpper, readLink } from '../../host/layer/same-content.ts'
import type { LayerSource } from '../../host/layer/layer-change.ts'
import { hashInPieces } from '../../host/root/hash-file.ts'
import { OLD, UPPER } from '../../host/layer/layer.ts'
import type { LayerPart } from '../../core/layer.ts'
import type { OpenedNames } from '../../host/layer/opened-folders.ts'
import { latin1Name } from '../../host/root/exact-name.ts'
import { joinRel } from '../../host/root/rel-path.ts'
import type { FileStat, OpenFile, Root } from '../../host/root/root.ts'
import { systemClock } from '../../host/system/clock.ts'
import { digest } from '../../host/system/hash.ts'
import type { AttributeCache } from '../landing/attribute-cache.ts'
import type { DigestCache } from '../landing/digest-cache.ts'
import type { Digest } from '../../journal/entries/entry.ts'

/** One root of a layer, open for reading. */
export interface OpenPart {
  readonly part: LayerPart
  readonly lower: Root
  readonly upper: Root
  /** The part's own folder. */
  readonly place: Root
  readonly opened: OpenedNames
  readonly digests?: Pick<DigestCache, 'note'> | undefined
  readonly attributeCache?: Pick<AttributeCache, 'noteNone'> | undefined
}

/** Lets other work go on if the last time was a while ago; throws if the reading was cancelled. */
export type Pause = () => Promise<void> | undefined

/** The digest of a folder. */
export const NOTHING = digest('')

/** Where something of a part lies, relative to the folder of layers. */
export function heldIn({ folder }: LayerPart, place: typeof UPPER | typeof OLD, path: string): string {
  return `${basename(dirname(folder))}/${basename(folder)}/${place}/${path}`
}

/** Opens a file of the workspace or of its upper layer. */
export function openSource({ upper, lower, opened }: OpenPart, { layer, path }: LayerSource): OpenFile {
  return layer === 'upper' ? openUpper(upper, path, opened) : lower.openFile(path)
}

/** Where a link of the workspace or of its upper layer points. */
export function targetOf({ upper, lower }: OpenPart, { layer, path }: LayerSource): string {
  return readLink(layer === 'upper' ? upper : lower, path)
}

/**
 * The digest of a file's content, of where a link points, or of nothing for a folder; yields between pieces of a large
 * file, so that the caller can pause.
 */
export function* digestOf(
  part: OpenPart,
  source: LayerSource,
  kind: FileStat['kind'],
): Generator<null, Digest> {
  if (kind === 'dir') return NOTHING
  if (kind === 'symlink') return digest(Buffer.from(latin1Name(targetOf(part, source)), 'latin1'))
  const file = openSource(part, source)
  try {
    const openedMs = systemClock.now()
    const hashed = yield* hashInPieces(file)
    part.digests?.note(file.stat, hashed, openedMs)
    return hashed
  } finally {
    file.close()
  }
}

/** The folder of a part for clean copies, while they are made. */
export const CLEAN = 'clean'

/** The path of a name of the upper layer, below the part's folder. */
export function upperPath(path: string): string {
  return joinRel(UPPER, path)
}
