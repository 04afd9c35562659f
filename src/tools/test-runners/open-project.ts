import type { Settings } from '../../config/keys.ts'
import type { Files } from '../../core/powers.ts'
import { createIgnoreNotes } from '../finding/ignore-notes.ts'
import { walkFiles } from '../finding/walk-files.ts'
import type { Scope } from '../finding/walk-files.ts'
import type { Project } from './test-runner.ts'

/** Real project files, such as package.json, are smaller. */
const MAX_FILE_BYTES = 1024 ** 2
/** Searching deeper costs more than it finds. */
const MAX_DEPTH = 8

/** Opens a folder as a project. None of it counts as read by the model. */
export function openProject({
  folder,
  files,
  settings,
  signal,
}: {
  readonly folder: string
  readonly files: Files
  readonly settings: Settings
  readonly signal: AbortSignal
}): Project {
  const at = (name: string): string => (folder === '' ? name : `${folder}/${name}`)
  const locate: Project['locate'] = (name) => {
    const found = files.follow(name.startsWith('/') ? name : at(name))
    if (found === null || (found.kind !== 'file' && found.kind !== 'dir')) return null
    const path = found.path === folder ? '.' : found.path
    const isInside = folder === '' || path === '.' || path.startsWith(`${folder}/`)
    if (!isInside) return null
    return {
      path: folder === '' || path === '.' ? path : path.slice(folder.length + 1),
      isFolder: found.kind === 'dir',
    }
  }
  return {
    folder,
    files,
    read(name) {
      const bytes = files.peek(at(name), MAX_FILE_BYTES)
      return bytes === null ? null : new TextDecoder().decode(bytes)
    },
    locate,
    has: (name) => locate(name) !== null,
    async find(fits, most) {
      const found: string[] = []
      const scope: Scope = { includes: fits, enter: (name) => (name.startsWith('.') ? null : scope) }
      await walkFiles(
        files,
        {
          start: folder,
          scope,
          maxDepth: MAX_DEPTH,
          followLinks: false,
          patterns: settings['tools.ignore.patterns'],
          budget: { left: settings['tools.walk.max_entries'] },
          signal,
          notes: createIgnoreNotes(),
        },
        ({ path }) => {
          found.push(folder === '' ? path : path.slice(folder.length + 1))
          return found.length < most
        },
      )
      return found
    },
  }
}
