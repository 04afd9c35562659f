import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'

/** The name of the user this process runs as, or the user id if the system has no name for it. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.geteuid?.() ?? 'unknown'}`
  }
}

/** Whether this process runs as root. */
export function isSuperuser(): boolean {
  return process.geteuid?.() === 0
}

/** CAP_SYS_ADMIN, as a bit of the effective capabilities. */
const MAY_MOUNT = 1n << 21n

/**
 * Whether this process is root of the whole system: it may mount what others see, and set attributes that only root can
 * set. Root of a container or of a user namespace often is not, and then mounts as an ordinary user does.
 */
export function isRootOfSystem(): boolean {
  if (!isSuperuser()) return false
  known ??= findRootOfSystem()
  return known
}

let known: boolean | undefined

function findRootOfSystem(): boolean {
  try {
    const [inside, outside, count] = readFileSync('/proc/self/uid_map', 'latin1').trim().split(/\s+/)
    const isWhole = inside === '0' && outside === '0' && Number(count) >= WHOLE_COUNT
    const capabilities = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1]
    return isWhole && (BigInt(`0x${capabilities ?? '0'}`) & MAY_MOUNT) !== 0n
  } catch {
    return true
  }
}

/** As many users as there can be. */
const WHOLE_COUNT = 2 ** 32 - 1

/** The environment variables of this process. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}
