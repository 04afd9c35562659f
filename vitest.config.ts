import { execFileSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { ALONE } from './test/alone.ts'
import { FAMILIES } from './test/costly.ts'
import { isThorough } from './test/harness/long-run.ts'
import { sittingOut } from './test/harness/take-turns.ts'

const isLong = process.env['TONGS_LONG'] === '1'
/** Set where tests are expected to fail: then what never comes is not waited for long. */
const patienceMs = Number(process.env['VITEST_PATIENCE_MS'] ?? 240_000)

/** What the random choices begin with: elsewhere in every run, but where a run has to depend on the commit alone. */
const seed =
  process.env['HARDENING_SEED'] ?? (process.env['CI'] === 'true' ? seedOfCommit() : String(Date.now() % 1e9))

/** Whoever names files at work wants all of their tests. */
const takesTurns = process.env['TAKE_TURNS'] === '1' && !isThorough

const exclude = [
  ...configDefaults.exclude,
  ...(isLong ? [] : ['test/**/*.long.test.ts']),
  ...(takesTurns ? sittingOut(FAMILIES, Number(seed)) : []),
]
/** In the laboratory each law gets so much time. */
const alias =
  process.env['LABORATORY_LAW_MS'] === undefined
    ? []
    : [{ find: /^fast-check$/, replacement: join(import.meta.dirname, 'scripts/laboratory/timed-laws.ts') }]
const every = {
  alias,
  allowOnly: false,
  // Only ends what hangs: tests wait for events, and a machine with much else to do is slow.
  testTimeout: isLong ? 600_000 : patienceMs + 60_000,
  hookTimeout: 300_000,
  env: { HARDENING_SEED: seed },
  setupFiles: ['test/seeded.ts'],
  ...(takesTurns ? { runner: 'test/turns-runner.ts' } : {}),
}

export default defineConfig({
  test: {
    ...every,
    globalSetup: ['test/own-temp.ts', 'test/own-home.ts', 'test/compile-cache.ts', 'test/open-checkout.ts'],
    // Many tests wait for processes of their own, so one more than there are cores keeps those busy.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { test: { ...every, name: 'alone', include: ALONE, exclude } },
      {
        // These share the loaded sources too: loading them takes longer than most of the files.
        test: {
          ...every,
          name: 'sharing',
          include: ['test/**/*.test.ts'],
          exclude: [...exclude, ...ALONE],
          isolate: false,
        },
      },
    ],
  },
})

function seedOfCommit(): string {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return String(Number.parseInt(commit.slice(0, 7), 16))
  } catch {
    return '1'
  }
}
