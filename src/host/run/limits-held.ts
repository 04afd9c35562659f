import type { LimitHolder, LimitName, RunLimits } from './run-request.ts'

/** What is known about how a command was started. */
export interface LimitFacts {
  readonly hasCgroup: boolean
  readonly isNamespaced: boolean
  readonly isRoot: boolean
  /** Limits that the system would not take. */
  readonly lost: readonly string[]
}

const BY_CGROUP: ReadonlySet<LimitName> = new Set(['memoryBytes', 'processes'])

/**
 * Says what keeps each limit that was asked for. Outside of a sandbox root can raise its own limits, so they hold
 * nothing; root's processes are never counted; and other users' are counted per person, which only in a namespace of
 * their own means per command.
 */
export function findHeldLimits(
  limits: RunLimits,
  facts: LimitFacts,
): Readonly<Partial<Record<LimitName, LimitHolder>>> {
  const holderOf = (name: LimitName): LimitHolder => {
    if (facts.hasCgroup && BY_CGROUP.has(name)) return 'cgroup'
    if (facts.lost.includes(name) || (facts.isRoot && !facts.isNamespaced)) return 'none'
    if (name === 'processes' && (facts.isRoot || !facts.isNamespaced)) return 'none'
    return 'rlimit'
  }
  const asked = (Object.keys(limits) as LimitName[]).filter((name) => limits[name] !== undefined)
  return Object.fromEntries(asked.map((name) => [name, holderOf(name)]))
}
