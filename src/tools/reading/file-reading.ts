/** What is fixed about a tool that only reads files. */
export const fileReading = {
  effect: 'read',
  capabilities: ['filesystem.read'],
  limits: { timeout: 'file_operations' },
} as const
