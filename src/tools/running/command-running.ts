import { readWishes } from './extra-access.ts'

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
  wishes: readWishes,
} as const
