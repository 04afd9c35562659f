import { nullable, string } from '../../schema/schema.ts'
import { effectUnlessDry } from '../edits/dry-run.ts'
import type { ToolFacts } from './tool-spec.ts'
import { readExtraAccess } from '../running/extra-access.ts'
import type { ExtraAccessArguments } from '../running/extra-access.ts'

/** What is fixed about a tool that only reads files. */
export const readingTool = {
  effect: 'read',
  capabilities: ['filesystem.read'],
  limits: { timeout: 'file_operations' },
} as const

/** What is fixed about a tool that edits the content of files, or only shows the edit where a call asks for that. */
export const editingTool = {
  effect: 'edit',
  effectOf: effectUnlessDry,
  capabilities: ['filesystem.read', 'filesystem.write'],
  limits: { timeout: 'file_operations' },
} as const

/** Where a result says that the old content is kept. */
export const backupPath = nullable(string('A copy of the old content; null if there is none'))

/** What is fixed about a tool that starts whatever program it is told to. */
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
