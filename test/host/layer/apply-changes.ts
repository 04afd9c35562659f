import {
  chmodSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { readLink } from '../../../src/host/layer/same-content.ts'
import type { LayerChange } from '../../../src/host/layer/layer-change.ts'
import { latin1Name } from '../../../src/host/root/exact-name.ts'
import type { Root } from '../../../src/host/root/root.ts'

/** Puts changes into a plain copy of the workspace, one after the other, in the most literal way. */
export function applyChanges(
  changes: readonly LayerChange[],
  { upper, lower, to }: { readonly upper: Root; readonly lower: Root; readonly to: string },
): void {
  const bytesOf = (path: string): Buffer => Buffer.from(latin1Name(path), 'latin1')
  for (const { path, before, after } of changes) {
    const at = Buffer.concat([Buffer.from(`${to}/`), bytesOf(path)])
    const isFolderBoth = before?.kind === 'dir' && after?.kind === 'dir'
    if (before?.kind === 'dir' && !isFolderBoth) rmdirSync(at)
    else if (before !== null && !isFolderBoth) unlinkSync(at)
    if (after === null) continue
    const root = after.source.layer === 'upper' ? upper : lower
    const from = Buffer.concat([Buffer.from(`${root.path}/`), bytesOf(after.source.path)])
    if (after.kind === 'dir') {
      if (!isFolderBoth) mkdirSync(at)
    } else if (after.kind === 'symlink') symlinkSync(bytesOf(readLink(root, after.source.path)), at)
    else writeFileSync(at, readFileSync(from))
    if (after.kind !== 'symlink') chmodSync(at, after.mode)
  }
}
