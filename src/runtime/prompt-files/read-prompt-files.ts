import { join } from 'node:path'
import { PROMPT_FILE_LIMITS } from '../../config/fixed-values.ts'
import { sanitise } from '../../core/text/display/sanitise.ts'
import { readFolderNames } from '../../host/fs/folders.ts'
import { readPlainFile } from '../../host/fs/plain-file.ts'
import type { PromptFile, PromptFiles, UnusableFile } from './prompt-file.ts'

const ENDING = '.md'
/** Plain letters only: names that look the same are the same, and each is one word wherever it is typed. */
const SEGMENT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const ODD_NAME =
  'its name may have only letters from a to z, digits, - and _, and must begin with a letter or digit'

/** Reads a folder of prompts and those in it. Links are not followed; a file that cannot be read is named. */
export function readPromptFiles(folder: string): PromptFiles {
  const files: PromptFile[] = []
  const unusable: UnusableFile[] = []
  let seen = 0

  function refuse(segments: readonly string[], path: string, why: string): void {
    unusable.push({ name: sanitise(segments.join(':'), { oneLine: true }), path, why })
  }

  function takeFile(segments: readonly string[], path: string): void {
    if (segments.some((segment) => !SEGMENT.test(segment))) {
      refuse(segments, path, ODD_NAME)
      return
    }
    const found = readPlainFile(path, 'project', PROMPT_FILE_LIMITS.fileBytes)
    if (found.is === 'read') files.push({ name: segments.join(':'), path, bytes: found.bytes })
    else if (found.is === 'refused') refuse(segments, path, found.why)
  }

  function walk(at: string, above: readonly string[]): void {
    const names = readFolderNames(at)
    if (names === null) refuse(above, at, 'the folder cannot be read')
    for (const { name, isFolder } of (names ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (name.startsWith('.') || !(isFolder || name.endsWith(ENDING))) continue
      seen += 1
      if (seen > PROMPT_FILE_LIMITS.files) return
      const path = join(at, name)
      if (!isFolder) takeFile([...above, name.slice(0, -ENDING.length)], path)
      else if (above.length < PROMPT_FILE_LIMITS.depth) walk(path, [...above, name])
      else refuse([...above, name], path, 'the folder is too deep')
    }
  }

  walk(folder, [])
  if (seen > PROMPT_FILE_LIMITS.files)
    refuse([], folder, `it has more than ${PROMPT_FILE_LIMITS.files} files and folders; the rest is left out`)
  return { files, unusable }
}
