import { Buffer } from 'node:buffer'
import { namesIn, openRecordFile } from '../../host/fs/private-files.ts'
import type { SealKey } from '../../host/system/hash.ts'
import type { StateFiles } from '../store/state-files.ts'
import { formatAnchor } from './anchor.ts'
import type { FoundAnchor } from './anchor.ts'
import { readAnchor } from './anchor-file.ts'
import { CHAIN_START } from './chain.ts'
import type { Head } from './chain.ts'

/** All anchors by path. Read them before the log, so that they can lag behind it but not be ahead. */
export function readAnchors(files: StateFiles, key: SealKey): ReadonlyMap<string, FoundAnchor> {
  const found = new Map<string, FoundAnchor>()
  for (const name of namesIn(files.anchors)) {
    if (name.includes('.')) continue
    const path = files.anchorOf(name)
    found.set(path, readAnchor(path, key))
  }
  return found
}

/** What anchors know of the closings. */
export function* knownClosingsOf(anchors: Iterable<FoundAnchor>): Generator<Head> {
  for (const anchor of anchors) if (typeof anchor !== 'string') yield anchor.closings
}

/** What anchors of an earlier version know of the chain of grants. */
export function* knownGrantsOf(anchors: Iterable<FoundAnchor>): Generator<Head> {
  for (const anchor of anchors)
    if (typeof anchor !== 'string' && anchor.grants !== undefined) yield anchor.grants
}

/** Has the anchors know nothing of the closings, which a repair lists anew. */
export function forgetKnown(files: StateFiles, key: SealKey): void {
  for (const [path, anchor] of readAnchors(files, key)) {
    if (typeof anchor === 'string' || anchor.closings.seq === 0) continue
    const file = openRecordFile(path)
    file.write(
      Buffer.from(formatAnchor({ ...anchor, closings: { seq: 0, hash: CHAIN_START } }, key), 'latin1'),
    )
    file.sync()
    file.close()
  }
}
