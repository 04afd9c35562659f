import { nullable, string } from '../../schema/schema.ts'
import { effectUnlessDry } from './dry-run.ts'

/** What is fixed about a tool that edits the content of files, or only shows the edit where a call asks for that. */
export const fileEditing = {
  effect: 'edit',
  effectOf: effectUnlessDry,
  capabilities: ['filesystem.read', 'filesystem.write'],
  limits: { timeout: 'file_operations' },
} as const

/** Where a result says that the old content is kept. */
export const backupPath = nullable(string('A copy of the old content; null where there is none'))
