import { execFileSync } from 'node:child_process'

const NOBODY = 65534

/**
 * Runs a module in a process of an ordinary user, because permissions do not bind root, and gives what it prints as
 * JSON. The module must call `becomeOrdinary` before it does anything.
 */
export function runOrdinary(module: URL, ...args: readonly string[]): unknown {
  return JSON.parse(
    execFileSync(process.execPath, [module.pathname, ...args], { encoding: 'utf8', timeout: 20_000 }),
  )
}

/** Gives up root's powers for good; modules loaded before may lie where only root can read. */
export function becomeOrdinary(): void {
  if (process.getuid?.() !== 0) return
  process.setgroups?.([])
  process.setgid?.(NOBODY)
  process.setuid?.(NOBODY)
}
