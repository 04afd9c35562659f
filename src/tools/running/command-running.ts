import type { ToolFacts } from '../define/tool-spec.ts'
import { readExtraAccess } from './extra-access.ts'
import type { ExtraAccessArguments } from './extra-access.ts'

/** What is fixed about a tool that starts whatever program it is told to. */
export const commandRunning = {
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
