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

/** The environment variables of this process. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}
