/** The powers a tool may declare. */
export const CAPABILITIES = [
  'filesystem.read',
  'filesystem.write',
  'filesystem.delete',
  'filesystem.execute',
  'process.spawn',
  'process.kill',
  'process.signal',
  'network.connect',
  'network.listen',
  'system.env',
  'system.time',
  'system.info',
  'state.read',
  'state.write',
] as const

/** One declared power. */
export type Capability = (typeof CAPABILITIES)[number]

/** Whether a word names a known power. */
export function isCapability(word: string): word is Capability {
  return (CAPABILITIES as readonly string[]).includes(word)
}
