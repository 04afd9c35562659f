import { settingsOf } from '../../config/keys.ts'
import { failure } from '../../core/error.ts'
import type { EditTarget } from '../../core/powers.ts'
import type { PowersOf } from '../../core/tool.ts'
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

/** Lists a file or everything in a folder; links and special files are rejected, because they could not be restored. */
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
  files.walk(path, (entry) => {
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
  })
  return { target, files: found, folders }
}
