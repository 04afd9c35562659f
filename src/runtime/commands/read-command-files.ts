import { join } from 'node:path'
import { OWN_COMMAND_LIMITS } from '../../config/fixed-values.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { readFolderNames } from '../../host/fs/folders.ts'
import { readPlainFile } from '../../host/fs/plain-file.ts'
import type { UnusableCommand } from './own-command.ts'

/** A file whose name is that of a command. */
export interface CommandFile {
  readonly name: string
  readonly path: string
  readonly bytes: Uint8Array
}

/** What a folder of commands holds. */
export interface CommandFiles {
  readonly files: readonly CommandFile[]
  readonly unusable: readonly UnusableCommand[]
}

const ENDING = '.md'
/** Plain letters only: names that look the same are the same, and each is one word wherever it is typed. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const ODD_NAME =
  'its name may have only letters from a to z, digits, - and _, and must begin with a letter or digit'

/** Reads a folder of commands and those in it. Links are not followed; a file that cannot be read is named. */
export function readCommandFiles(folder: string): CommandFiles {
  const files: CommandFile[] = []
  const unusable: UnusableCommand[] = []
  let seen = 0

  function refuse(segments: readonly string[], path: string, why: string): void {
    unusable.push({ name: sanitise(segments.join(':'), { oneLine: true }), path, why })
  }

  function takeFile(segments: readonly string[], path: string): void {
    if (segments.some((segment) => !SEGMENT.test(segment))) {
      refuse(segments, path, ODD_NAME)
      return
    }
    const found = readPlainFile(path, 'project', OWN_COMMAND_LIMITS.fileBytes)
    if (found.is === 'read') files.push({ name: segments.join(':'), path, bytes: found.bytes })
    else if (found.is === 'refused') refuse(segments, path, found.why)
  }

  function walk(at: string, above: readonly string[]): void {
    const names = readFolderNames(at)
    if (names === null) refuse(above, at, 'the folder cannot be read')
    for (const { name, isFolder } of (names ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (name.startsWith('.') || !(isFolder || name.endsWith(ENDING))) continue
      seen += 1
      if (seen > OWN_COMMAND_LIMITS.files) return
      const path = join(at, name)
      if (!isFolder) takeFile([...above, name.slice(0, -ENDING.length)], path)
      else if (above.length < OWN_COMMAND_LIMITS.depth) walk(path, [...above, name])
      else refuse([...above, name], path, 'the folder is too deep')
    }
  }

  walk(folder, [])
  if (seen > OWN_COMMAND_LIMITS.files)
    refuse([], folder, `it has more than ${OWN_COMMAND_LIMITS.files} files and folders; the rest is left out`)
  return { files, unusable }
}
