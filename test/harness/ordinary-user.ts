import { execFileSync } from 'node:child_process'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { TOP } from '../../scripts/run-tool.ts'
import { PATIENCE_MS } from './patience.ts'

/** The user, and the group, that has no rights at all. */
export const NOBODY = 65_534

/** Node and a module of the tests, as they are called where an ordinary user can read them. */
export function ordinaryProgram(module: URL | string): readonly [node: string, module: string] {
  const path = typeof module === 'string' ? module : fileURLToPath(module)
  const { OPEN_CHECKOUT = TOP, OPEN_NODE = process.execPath } = process.env
  return [OPEN_NODE, join(OPEN_CHECKOUT, relative(TOP, path))]
}

/**
 * Runs a module in a process of an ordinary user, because permissions do not bind root, and gives what it prints as
 * JSON. The module must call `becomeOrdinary` before it does anything.
 */
export function runOrdinary(module: URL, ...args: readonly string[]): unknown {
  const [node, program] = ordinaryProgram(module)
  return JSON.parse(execFileSync(node, [program, ...args], { encoding: 'utf8', timeout: PATIENCE_MS }))
}

/** Gives up root's powers for good. */
export function becomeOrdinary(): void {
  if (process.getuid?.() !== 0) return
  process.setgroups?.([])
  process.setgid?.(NOBODY)
  process.setuid?.(NOBODY)
}
