import { CAPABILITIES } from '../../core/capability.ts'
import type { Capability } from '../../core/capability.ts'
import type { Risk } from '../../core/tool.ts'

/** What is fixed about a capability. */
export interface CapabilityFacts {
  /** What it cannot be had without. */
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
    action: 'run programs that lie in files',
  },
  'process.spawn': { needs: ['filesystem.execute'], risk: 'High', action: 'start processes' },
  'process.signal': { needs: ['process.spawn'], risk: 'Medium', action: 'signal processes it started' },
  'process.kill': { needs: ['process.signal'], risk: 'High', action: 'end processes it started' },
  'network.connect': { needs: [], risk: 'High', action: 'reach other machines' },
  'network.listen': { needs: [], risk: 'High', action: 'be reached by other machines' },
  'system.env': { needs: [], risk: 'Medium', action: 'look at the environment' },
  'system.time': { needs: [], risk: 'Low', action: 'know the time' },
  'system.info': { needs: [], risk: 'Low', action: 'know about the machine' },
  'state.read': { needs: [], risk: 'Low', action: 'read what it kept earlier' },
  'state.write': { needs: ['state.read'], risk: 'Low', action: 'keep something for later' },
}

/** The capabilities together with everything they cannot be had without, in the order of the tree. */
export function withPrerequisites(capabilities: readonly Capability[]): readonly Capability[] {
  const known = closures.get(capabilities)
  if (known !== undefined) return known
  const all = new Set<Capability>(capabilities)
  for (const capability of all) for (const needed of CAPABILITY_TREE[capability].needs) all.add(needed)
  const closure = Object.freeze(CAPABILITIES.filter((capability) => all.has(capability)))
  closures.set(capabilities, closure)
  return closure
}

/** A tool declares once and is called often. */
const closures = new WeakMap<readonly Capability[], readonly Capability[]>()
