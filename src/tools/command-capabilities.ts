import type { Capability } from '../core/capability.ts'

/** What a tool needs that starts whatever program it is told to. */
export const COMMAND_CAPABILITIES: readonly Capability[] = [
  'filesystem.read',
  'filesystem.write',
  'filesystem.delete',
  'filesystem.execute',
  'process.spawn',
]
