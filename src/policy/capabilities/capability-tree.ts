import { CAPABILITIES, CAPABILITY_WORDS, expandCapability } from '../../core/capability.ts'
import type { Capability } from '../../core/capability.ts'
import type { Risk } from '../../core/tool.ts'

/** The fixed facts about a capability. */
export interface CapabilityFacts {
  /** The capabilities it depends on. */
  readonly needs: readonly Capability[]
  readonly risk: Risk
  /** The end of the sentence "the tool may …". */
  readonly action: string
}

/** Every capability with its prerequisites and its risk. */
export const CAPABILITY_TREE: Readonly<Record<Capability, CapabilityFacts>> = {
  'filesystem.read': { needs: [], risk: 'Low', action: 'read files of the workspace' },
  'filesystem.write': { needs: ['filesystem.read'], risk: 'Medium', action: 'create and change files' },
  'filesystem.delete': { needs: ['filesystem.write'], risk: 'High', action: 'delete and move files' },
  'filesystem.execute': {
    needs: ['filesystem.read'],
    risk: 'High',
    action: 'run programs',
  },
  'process.spawn': { needs: ['filesystem.execute'], risk: 'High', action: 'start processes' },
  'process.signal': { needs: ['process.spawn'], risk: 'Medium', action: 'signal processes it started' },
  'process.kill': { needs: ['process.signal'], risk: 'High', action: 'end processes it started' },
  'network.connect': { needs: [], risk: 'High', action: 'reach other machines' },
  'network.listen': { needs: [], risk: 'High', action: 'be reached by other machines' },
  'system.env': { needs: [], risk: 'Medium', action: 'read environment variables' },
  'system.time': { needs: [], risk: 'Low', action: 'read the time' },
  'system.info': { needs: [], risk: 'Low', action: 'read information about the machine' },
  'state.read': { needs: [], risk: 'Low', action: 'read what it stored earlier' },
  'state.write': { needs: ['state.read'], risk: 'Low', action: 'store something for later' },
}

/** Capabilities as a bit set, in the order of the tree. */
export type CapabilityBits = number

const BIT = Object.fromEntries(CAPABILITIES.map((capability, index) => [capability, 1 << index])) as Readonly<
  Record<Capability, CapabilityBits>
>

/** Each capability together with everything it depends on. */
const CLOSURE = Object.fromEntries(
  CAPABILITIES.map((capability) => [capability, closeOver(capability)]),
) as Readonly<Record<Capability, CapabilityBits>>

const WORD_BITS: ReadonlyMap<string, CapabilityBits> = new Map(
  CAPABILITY_WORDS.map((word) => [
    word,
    expandCapability(word).reduce((bits, capability) => bits | BIT[capability], 0),
  ]),
)

function closeOver(capability: Capability): CapabilityBits {
  return CAPABILITY_TREE[capability].needs.reduce((bits, needed) => bits | closeOver(needed), BIT[capability])
}

/** The bits of capabilities and everything they depend on. */
export function bitsWithPrerequisites(capabilities: readonly Capability[]): CapabilityBits {
  let bits = 0
  for (const capability of capabilities) bits |= CLOSURE[capability]
  return bits
}

/** The bits that words such as `filesystem.*` stand for; none for an unknown word. */
export function bitsOfWords(words: readonly string[]): CapabilityBits {
  let bits = 0
  for (const word of words) bits |= WORD_BITS.get(word) ?? 0
  return bits
}

/** Whether a capability is among the bits. */
export function hasBit(bits: CapabilityBits, capability: Capability): boolean {
  return (bits & BIT[capability]) !== 0
}

/** The capabilities in a bit set, in the order of the tree. */
export function listBits(bits: CapabilityBits): readonly Capability[] {
  if (bits === 0) return NONE
  const listed: Capability[] = []
  for (const capability of CAPABILITIES) if (hasBit(bits, capability)) listed.push(capability)
  return listed
}

const NONE: readonly Capability[] = []

/** The capabilities and everything they depend on, in the order of the tree. */
export function withPrerequisites(capabilities: readonly Capability[]): readonly Capability[] {
  return listBits(bitsWithPrerequisites(capabilities))
}
