import { toolError } from '../../core/error.ts'
import type { ToolError } from '../../core/error.ts'
import type { Engine } from '../engine.ts'
import type { Received } from '../step.ts'

/** Why a call cannot start in its working folder. */
export interface FolderFault {
  /** Whether nothing is there, so that another call may still make it. */
  readonly isMissing: boolean
  readonly absolute: string
  readonly error: ToolError
}

/** What is wrong with the working folder of a call, or null. A folder outside the sandbox is refused as a claim. */
export function folderFault(
  { meta: { cwd } }: Pick<Received, 'meta'>,
  { workspace }: Pick<Engine, 'workspace'>,
): FolderFault | null {
  if (cwd === undefined) return null
  const located = workspace.locate({ path: cwd, intent: 'list' })
  if (!located.ok || located.kind === 'dir') return null
  const isMissing = located.kind === 'missing'
  const message = `The working folder ${located.display} ${isMissing ? 'does not exist' : 'is not a folder'}.`
  const recovery = ['Name an existing folder in meta.cwd, relative to the root, or leave it out.']
  return {
    isMissing,
    absolute: located.absolute,
    error: toolError('bad_args', message, { path: located.display }, recovery),
  }
}
