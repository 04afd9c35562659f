import { failure } from '../core/error.ts'
import type { Edits, Files } from '../core/powers.ts'
import type { Tool } from '../core/tool.ts'

/** Hands out powers over files that end where the tool itself said its limit is. */
export function holdToLimits(
  { name, limits }: Tool,
  { files, edits }: { readonly files: Files; readonly edits: Edits },
): { readonly files: Files; readonly edits: Edits } {
  const most = limits.maxFileBytes
  if (most === undefined) return { files, edits }
  const require = (path: string, bytes: number): void => {
    if (bytes <= most) return
    const message = `${path} has ${bytes} bytes, and ${name} handles files up to ${most}.`
    throw failure('limit_exceeded', message, { path, bytes, limit: most })
  }
  return {
    files: {
      ...files,
      open(path) {
        const file = files.open(path)
        require(path, file.size)
        return file
      },
      peek: (path, maxBytes) => files.peek(path, Math.min(maxBytes, most)),
    },
    edits: {
      ...edits,
      read(path) {
        const bytes = edits.read(path)
        require(path, bytes.length)
        return bytes
      },
      write(path, bytes, options) {
        require(path, bytes.length)
        edits.write(path, bytes, options)
      },
    },
  }
}
