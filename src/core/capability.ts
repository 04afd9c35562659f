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

const WILDCARD = '.*'

/** Every word that may stand for capabilities: each by itself, and each branch with a star. */
export const CAPABILITY_WORDS: readonly string[] = [
  ...CAPABILITIES,
  ...new Set(CAPABILITIES.map((capability) => `${capability.split('.', 1)[0] ?? ''}${WILDCARD}`)),
]

/** The capabilities that a word stands for: one, or with `.*` all of its branch. An unknown word stands for none. */
export function expandCapability(word: string): readonly Capability[] {
  if (isCapability(word)) return [word]
  if (!word.endsWith(WILDCARD)) return []
  const branch = word.slice(0, -WILDCARD.length + 1)
  return CAPABILITIES.filter((capability) => capability.startsWith(branch))
}
