import type { OpenBuffers } from './open-buffers.ts'

/** Finds the text of a file that is not saved, as bytes; null if what is on disk counts. */
export type FindUnsaved = (absolute: string, onDisk: Uint8Array) => Uint8Array | null

const strict = new TextDecoder('utf-8', { fatal: true })
const utf8 = new TextEncoder()

/** Compares what an editor has with what is on disk. */
export function findUnsavedIn(buffers: OpenBuffers): FindUnsaved {
  return (absolute, onDisk) => {
    const text = buffers.text(absolute)
    if (text === null) return null
    const saved = decode(onDisk)
    // An editor may have decoded it in another way, and would have to write it back so.
    if (saved === null || plain(saved) === plain(text)) return null
    return utf8.encode(text)
  }
}

/** Editors leave out the byte order mark and may write every line end in one way. */
function plain(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
}

function decode(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes)
  } catch {
    return null
  }
}
