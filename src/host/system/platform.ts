import { readFileSync } from 'node:fs'
import { type } from 'node:os'

/** The operating systems that are distinguished; all others are treated with the most caution. */
export type Platform = 'linux' | 'macos' | 'windows' | 'other'

const KNOWN: Readonly<Record<string, Platform>> = { linux: 'linux', darwin: 'macos', win32: 'windows' }

/** What this process runs on; no other file reads it from Node. */
export const platform: Platform = KNOWN[process.platform] ?? 'other'

/** The system in words, such as `Linux x64`. */
export function describeSystem(): string {
  return `${type()} ${process.arch}`
}

/** An id that the system changes at every start; null if it does not provide one. */
export function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim() || null
  } catch {
    return null
  }
}
