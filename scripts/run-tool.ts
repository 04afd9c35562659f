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
  mostMs = Number.POSITIVE_INFINITY,
): number {
  const entry = join(TOP, 'node_modules', ENTRY[name])
  const [program = '', ...words] = endAfter(mostMs, enter([process.execPath, entry, ...args]))
  const end = spawnSync(program, words, {
    cwd: TOP,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  })
  if (end.error !== undefined) console.error(`${name} could not be started: ${end.error.message}`)
  return end.status ?? 1
}

/** What `endAfter` ends with when the time is over. */
export const TIME_IS_OVER = 124

/** The same command, ended with everything it has started when the time is over. */
export function endAfter(mostMs: number, argv: readonly string[]): readonly string[] {
  if (!Number.isFinite(mostMs)) return argv
  return ['timeout', '--kill-after=10', String(Math.max(1, Math.ceil(mostMs / 1000))), ...argv]
}
