import { isUtf8 } from 'node:buffer'
import { SNIFF_BYTES } from '../../config/fixed-values.ts'
import type { FileStat } from '../../host/root/root.ts'
import type { HashedChange } from './file-changes.ts'
import { openSource } from './layer-files.ts'

/** One side of a change as far as it can be shown: its text, or how large it is if it is not a text or too large. */
export type Side =
  | { readonly is: 'none' }
  | { readonly is: 'text'; readonly bytes: Uint8Array }
  | { readonly is: 'data'; readonly size: number }

/** The content of a file before its change, if it was one. */
export function sideBefore({ part, path, before }: HashedChange, maxBytes: number): Side {
  return sideOf(before, maxBytes, () => openSource(part, { layer: 'lower', path }))
}

/** The content of a file after its change, if it is one. */
export function sideAfter({ part, after }: HashedChange, maxBytes: number): Side {
  return sideOf(after, maxBytes, () =>
    openSource(part, after === null ? { layer: 'upper', path: '' } : after.source),
  )
}

function sideOf(stat: FileStat | null, maxBytes: number, open: () => ReturnType<typeof openSource>): Side {
  if (stat?.kind !== 'file') return { is: 'none' }
  if (stat.size > maxBytes) return { is: 'data', size: stat.size }
  const file = open()
  try {
    const bytes = file.readAll(Math.max(maxBytes, stat.size))
    return isText(bytes) ? { is: 'text', bytes } : { is: 'data', size: bytes.length }
  } finally {
    file.close()
  }
}

function isText(bytes: Uint8Array): boolean {
  return !bytes.subarray(0, SNIFF_BYTES).includes(0) && isUtf8(bytes)
}
