import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'

/** The project's folder. */
export const TOP = dirname(import.meta.dirname)

const ENTRY = {
  oxfmt: 'oxfmt/bin/oxfmt',
  oxlint: 'oxlint/bin/oxlint',
  tsc: 'typescript/bin/tsc',
  vitest: 'vitest/vitest.mjs',
} as const

/** Runs one of the development tools on this very Node, with its output on ours, and gives its exit code; `enter` says how. */
export function runTool(
  name: keyof typeof ENTRY,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  enter: (argv: readonly string[]) => readonly string[] = (argv) => argv,
): number {
  const entry = join(TOP, 'node_modules', ENTRY[name])
  const [program = '', ...words] = enter([process.execPath, entry, ...args])
  const end = spawnSync(program, words, {
    cwd: TOP,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  })
  if (end.error !== undefined) console.error(`${name} could not be started: ${end.error.message}`)
  return end.status ?? 1
}
