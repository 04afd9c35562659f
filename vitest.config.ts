import { configDefaults, defineConfig } from 'vitest/config'

const isLong = process.env['TONGS_LONG'] === '1'
/** Set where tests are expected to fail: then what never comes is not waited for long. */
const patienceMs = Number(process.env['VITEST_PATIENCE_MS'] ?? 240_000)

/** Files that have a process of their own, because they change or measure what belongs to all of it. */
const ALONE = [
  'test/*.test.ts',
  'test/{examples,faults,project}/**/*.test.ts',
  'test/host/{confine,isolate,run}/**/*.test.ts',
  // They load modules that replace functions of Node, and cannot be put back.
  'test/host/db/sqlite.test.ts',
  'test/journal/{group-busy,shared-writer}.test.ts',
  'test/journal/store/log-writer.test.ts',
  'test/tools/every-tool/watched*.test.ts',
  'test/workspace/landing/{layered-deaths,recheck}.test.ts',
  // Replaces a module.
  'test/workspace/sandbox/protect-git-places.test.ts',
  // Measure memory or time, and would measure that of their neighbours.
  'test/pipeline/events.test.ts',
  'test/tools/test-reports/test-reports.test.ts',
]
const exclude = [...configDefaults.exclude, ...(isLong ? [] : ['test/**/*.long.test.ts'])]
const every = {
  allowOnly: false,
  // Only ends what hangs: tests wait for events, and a machine with much else to do is slow.
  testTimeout: isLong ? 600_000 : patienceMs + 60_000,
  hookTimeout: 300_000,
}

export default defineConfig({
  test: {
    ...every,
    globalSetup: ['test/own-temp.ts', 'test/own-home.ts', 'test/compile-cache.ts', 'test/open-checkout.ts'],
    // Many tests wait for processes of their own, so one more than there are cores keeps those busy.
    maxWorkers: 3,
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
