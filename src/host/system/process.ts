import { userInfo } from 'node:os'

/** The name of the user this process runs as, or its number where the system knows no name. */
export function userName(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.geteuid?.() ?? 'unknown'}`
  }
}

/** Whether this process may do everything. */
export function isSuperuser(): boolean {
  return process.geteuid?.() === 0
}

/** The variables that this process was started with, and what it has set since. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}
