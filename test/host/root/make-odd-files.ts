import { execFileSync } from 'node:child_process'

/** Makes a named pipe. */
export function mkfifoSync(path: string): void {
  execFileSync('mkfifo', [path])
}

/** Makes a device that never ends, which only root can. */
export function mkzeroSync(path: string): boolean {
  if (process.getuid?.() !== 0) return false
  execFileSync('mknod', [path, 'c', '1', '5'])
  return true
}
