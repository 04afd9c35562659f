import { readFileSync } from 'node:fs'

/** The systems that are told apart; everything else is treated with the most caution. */
export type Platform = 'linux' | 'macos' | 'windows' | 'other'

const KNOWN: Readonly<Record<string, Platform>> = { linux: 'linux', darwin: 'macos', win32: 'windows' }

/** What this process runs on. No other file asks. */
export const platform: Platform = KNOWN[process.platform] ?? 'other'

/** What the system calls the time since it was started; null where it has no name for it. */
export function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim() || null
  } catch {
    return null
  }
}
