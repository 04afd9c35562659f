import { identityOf } from '../../host/root/file-stat.ts'
import { tooLarge } from '../../host/root/open-file.ts'
import type { OpenFile } from '../../host/root/root.ts'
import type { FindUnsaved } from './unsaved.ts'

/** A file as its editor has it: the file itself if that is what is on disk. */
export function asInEditor(
  file: OpenFile,
  absolute: string,
  findUnsaved: FindUnsaved,
  maxBytes: number,
): OpenFile {
  if (file.stat.size > maxBytes) return file
  const bytes = findUnsaved(absolute, file.readAll(maxBytes), identityOf(file.stat))
  if (bytes === null) return file
  return {
    stat: { ...file.stat, size: bytes.length },
    systemPath: file.systemPath,
    read(buffer, offset, length, position) {
      const part = bytes.subarray(position, position + length)
      buffer.set(part, offset)
      return part.length
    },
    readAll(most) {
      if (bytes.length > most) throw tooLarge(absolute, bytes.length, most)
      return bytes
    },
    sync: () => file.sync(),
    close: () => file.close(),
  }
}
