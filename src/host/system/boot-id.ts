import { readFileSync } from 'node:fs'

/** What the system calls the time since it was started; null where it has no name for it. */
export function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim() || null
  } catch {
    return null
  }
}
