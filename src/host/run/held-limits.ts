import type { LimitHolder, LimitName, RunLimits } from './run-request.ts'

/** What is known about how a command was started. */
export interface LimitFacts {
  readonly hasCgroup: boolean
  readonly isNamespaced: boolean
  readonly isRoot: boolean
  /** Limits that the system did not accept. */
  readonly lost: readonly string[]
}

const BY_CGROUP: ReadonlySet<LimitName> = new Set(['memoryBytes', 'processes'])

/**
 * Determines what enforces each requested limit. Outside a sandbox root can raise its own limits, so they enforce nothing;
 * root's processes are never counted; and those of other users are counted per user, which means per command only in a
 * namespace of its own.
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

/** What enforces each limit, by those names. */
export function keyLimits(
  held: Readonly<Partial<Record<LimitName, LimitHolder>>>,
): Readonly<Record<string, LimitHolder>> {
  const names = Object.keys(held) as LimitName[]
  return Object.fromEntries(names.map((name) => [LIMIT_KEYS[name], held[name] ?? 'none']))
}

/** Which limits are enforced and which are not, in words; empty if none was requested. */
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
  const scope = holder === 'rlimit' && name !== 'fileBytes' && name !== 'processes' ? ' per process' : ''
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
