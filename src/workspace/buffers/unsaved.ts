import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import type { OpenBuffers } from './open-buffers.ts'

/**
 * Finds the text of a file that is not saved, as bytes; null if what is on disk counts. `file` is the identity of what was
 * read from disk. Throws if the text may be that of another file.
 */
export type FindUnsaved = (absolute: string, onDisk: Uint8Array, file: string) => Uint8Array | null

const strict = new TextDecoder('utf-8', { fatal: true })
const utf8 = new TextEncoder()

/**
 * Compares what an editor has with what is on disk. An editor opens a path by its words and follows links, so its text is
 * taken for unsaved text only if the path led to the very file that was opened here by going down from the root. An editor
 * may keep what it once read elsewhere, so a place where that could have happened stays in doubt until both agree.
 */
export function findUnsavedIn(buffers: OpenBuffers): FindUnsaved {
  return (absolute, onDisk, file) => {
    const held = buffers.held(absolute)
    if (held === null) return null
    const saved = decode(onDisk)
    // An editor may have decoded it in another way, and would have to write it back so.
    if (saved === null) return null
    if (isSameText(saved, held.text)) {
      buffers.agree(absolute)
      return null
    }
    if (held.file === null) throw doubtful(absolute)
    return held.file === file ? utf8.encode(held.text) : null
  }
}

function doubtful(absolute: string): ToolFailure {
  const path = showPath(absolute)
  const message = `The text that the editor has for ${path} differs from the file, and may be that of another one: a name on the way to it was changed while the editor was asked.`
  return failure('execution_failed', message, { path, reason: 'moved' }, [
    'Ask the user to save the file in the editor, or to open it anew there, then try again.',
  ])
}

/** Whether two texts are the same to an editor. */
export function isSameText(one: string, other: string): boolean {
  return plain(one) === plain(other)
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
