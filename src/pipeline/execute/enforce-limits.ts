import { failure } from '../../core/error.ts'
import type { Edits, Files } from '../../core/powers.ts'
import type { Tool } from '../../core/tool.ts'

/** Limits reading to the file size that the tool declares. */
export function limitFiles(tool: Tool, files: Files): Files {
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
    peekStart: (path, maxBytes) => files.peekStart(path, Math.min(maxBytes, most)),
  }
}

/** Limits editing to the file size that the tool declares. */
export function limitEdits(tool: Tool, edits: Edits): Edits {
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
  const message = `${path} has ${bytes} bytes; ${name} accepts at most ${most}.`
  throw failure('limit_exceeded', message, { path, bytes, limit: most })
}
