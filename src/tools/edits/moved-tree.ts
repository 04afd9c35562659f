import { settingsOf } from '../../config/keys.ts'
import { failure } from '../../core/error.ts'
import type { EditTarget, WalkEntry, WalkStep } from '../../core/powers.ts'
import type { PowersOf } from '../../core/tool.ts'
import { showPath } from '../../core/text/display/show-path.ts'
import { approvalUnlessDry, riskUnlessDry } from './dry-run.ts'
import { editingTool } from '../define/tool-families.ts'
import { normalisePath } from '../list-directory.ts'

/** The common properties of tools that move or delete a path and everything below it. */
export const treeTool = {
  ...editingTool,
  capabilities: [...editingTool.capabilities, 'filesystem.delete'],
  // Undo brings all of it back.
  risk: riskUnlessDry,
  requiresApproval: approvalUnlessDry,
} as const

/** A file, or a folder with everything in it. */
export interface Tree {
  readonly target: EditTarget
  /** Paths relative to the root. */
  readonly files: readonly string[]
  /** Outermost first; empty for a file. */
  readonly folders: readonly string[]
}

/** Names in an error; there may be any number. */
const MOST_SHOWN = 3

/**
 * Lists a file or everything in a folder. Links and special files are rejected, because they could not be restored, and
 * so is what cannot be touched here: part of the folder would stay, and nobody would know.
 */
export function readTree(path: string, { edits, files, settings: view }: PowersOf['edit']): Tree {
  const mostFiles = settingsOf(view)['tools.edit.max_tree_files']
  const target = edits.stat(path)
  const shown = target.path
  if (target.kind === 'missing')
    throw failure('execution_failed', `${shown} does not exist.`, { path: shown }, ['Check the spelling.'])
  if (shown === '.')
    throw failure('bad_args', 'The root itself cannot be moved or deleted.', {}, [
      'Name the files and folders in it.',
    ])
  if (!path.startsWith('/') && normalisePath(path) !== shown) {
    throw failure('execution_failed', `${path} leads through a link to ${shown}.`, { path }, [
      'Name the file itself, not the link.',
    ])
  }
  if (target.kind === 'file') return { target, files: [shown], folders: [] }
  if (target.kind !== 'dir')
    throw failure('execution_failed', `${shown} is neither a file nor a folder.`, { path: shown }, [
      'Handle it manually.',
    ])
  const found: string[] = []
  const folders: string[] = [shown]
  const stays: string[] = []
  const visit = (entry: WalkEntry): WalkStep => {
    const whole = `${shown}/${entry.path}`
    if (entry.kind === 'dir') folders.push(whole)
    else if (entry.kind === 'file') found.push(whole)
    else
      throw failure(
        'execution_failed',
        `${whole} is a link or something else that could not be restored.`,
        { path: whole },
        ['Handle it manually first.'],
      )
    if (found.length > mostFiles)
      throw failure(
        'limit_exceeded',
        `${shown} holds more files than tools.edit.max_tree_files allows, which is ${mostFiles}.`,
        { path: shown, limit: mostFiles },
        ['Take the folders in it one after the other.'],
      )
    return 'enter'
  }
  files.walk(path, visit, (left) => stays.push(`${shown}/${left}`))
  if (stays.length > 0) throw incomplete(shown, stays)
  return { target, files: found, folders }
}

function incomplete(folder: string, stays: readonly string[]): Error {
  const shown = stays.slice(0, MOST_SHOWN).map((path) => showPath(path))
  const rest = stays.length - shown.length
  const names = [...shown, ...(rest > 0 ? [`${rest} more`] : [])].join(', ')
  return failure(
    'execution_failed',
    `${folder} cannot be taken as a whole: ${names} would stay (denied, or with a name that is not UTF-8).`,
    { path: folder, stays: shown },
    ['Take the other files and folders in it one by one, or ask the user to handle it manually.'],
  )
}
