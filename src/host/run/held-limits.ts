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

/** The limits as configuration and results call them. */
const LIMIT_KEYS: Readonly<Record<LimitName, string>> = {
  cpuSeconds: 'cpu_seconds',
  memoryBytes: 'memory_bytes',
  processes: 'processes',
  fileBytes: 'file_bytes',
}

/** What really keeps each limit, by those names. */
export function keyLimits(
  held: Readonly<Partial<Record<LimitName, LimitHolder>>>,
): Readonly<Record<string, LimitHolder>> {
  const names = Object.keys(held) as LimitName[]
  return Object.fromEntries(names.map((name) => [LIMIT_KEYS[name], held[name] ?? 'none']))
}

/** Which limits hold and which do not, in words; empty where none was asked for. */
export function describeLimits(
  limits: RunLimits,
  held: Readonly<Partial<Record<LimitName, LimitHolder>>>,
  isRoot: boolean,
): string {
  const names = Object.keys(held) as LimitName[]
  const holding = names.filter((name) => held[name] !== 'none')
  const idle = names.filter((name) => held[name] === 'none')
  const parts = [
    ...(holding.length === 0
      ? []
      : [`limits: ${holding.map((name) => describe(name, limits[name], held[name])).join(', ')}`]),
    ...(idle.length === 0
      ? []
      : [`not limited: ${idle.map((name) => LIMIT_KEYS[name]).join(', ')} (${whyIdle(isRoot)})`]),
  ]
  return parts.join('; ')
}

function describe(name: LimitName, value = 0, holder: LimitHolder = 'none'): string {
  const amount = name === 'memoryBytes' || name === 'fileBytes' ? showBytes(value) : String(value)
  const scope = holder === 'rlimit' && name !== 'fileBytes' && name !== 'processes' ? ' a process' : ''
  return `${LIMIT_KEYS[name]} ${amount}${scope} by ${holder}`
}

function whyIdle(isRoot: boolean): string {
  return isRoot ? 'no control groups here, and rlimits do not count what root runs' : 'no control groups here'
}

function showBytes(bytes: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && value % 1024 === 0 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${value} ${units[unit] ?? 'bytes'}`
}
