import { nullable, string } from '../../schema/schema.ts'
import { effectUnlessDry } from '../edits/dry-run.ts'
import type { ToolFacts } from './tool-spec.ts'
import { readExtraAccess } from '../running/extra-access.ts'
import type { ExtraAccessArguments } from '../running/extra-access.ts'

/** The common properties of tools that only read files. */
export const readingTool = {
  effect: 'read',
  capabilities: ['filesystem.read'],
  limits: { timeout: 'file_operations' },
} as const

/** The common properties of tools that edit files, or show the edit on a dry run. */
export const editingTool = {
  effect: 'edit',
  effectOf: effectUnlessDry,
  capabilities: ['filesystem.read', 'filesystem.write'],
  limits: { timeout: 'file_operations' },
} as const

/** The same for those that look at files only to stage a change of them. */
export const stagingTool = { ...editingTool, groupable: true } as const

/** The field of a result that names the backup. */
export const backupPath = nullable(string('A copy of the old content; null if there is none'))

/** The common properties of tools that start a program given by the call. */
export const commandTool = {
  effect: 'spawn',
  capabilities: [
    'filesystem.read',
    'filesystem.write',
    'filesystem.delete',
    'filesystem.execute',
    'process.spawn',
  ],
  limits: { timeout: 'shell_commands' },
  requiresApproval: true,
  extraAccess: readExtraAccess,
} as const satisfies Partial<ToolFacts<ExtraAccessArguments, unknown, 'spawn'>>
