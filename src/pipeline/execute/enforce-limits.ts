import { failure } from '../../core/error.ts'
import type { Edits, Files } from '../../core/powers.ts'
import type { Tool } from '../../core/tool.ts'

/** Hands out the power to read files that ends where the tool itself said its limit is. */
export function holdFiles(tool: Tool, files: Files): Files {
  const most = tool.limits.maxFileBytes
  if (most === undefined) return files
  return {
    ...files,
    open(path) {
      const file = files.open(path)
      requireFit(tool, path, file.size, most)
      return file
    },
    peek: (path, maxBytes) => files.peek(path, Math.min(maxBytes, most)),
  }
}

/** Hands out the power to edit files that ends where the tool itself said its limit is. */
export function holdEdits(tool: Tool, edits: Edits): Edits {
  const most = tool.limits.maxFileBytes
  if (most === undefined) return edits
  return {
    ...edits,
    read(path) {
      const bytes = edits.read(path)
      requireFit(tool, path, bytes.length, most)
      return bytes
    },
    write(path, bytes, options) {
      requireFit(tool, path, bytes.length, most)
      edits.write(path, bytes, options)
    },
  }
}

function requireFit({ name }: Tool, path: string, bytes: number, most: number): void {
  if (bytes <= most) return
  const message = `${path} has ${bytes} bytes, and ${name} handles files up to ${most}.`
  throw failure('limit_exceeded', message, { path, bytes, limit: most })
}
