import { configDefaults, defineConfig } from 'vitest/config'

const isLong = process.env['TONGS_LONG'] === '1'
/** Set where tests are expected to fail: then what never comes is not waited for long. */
const patienceMs = Number(process.env['VITEST_PATIENCE_MS'] ?? 240_000)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isLong ? [] : ['test/**/*.long.test.ts'])],
    globalSetup: ['test/own-temp.ts', 'test/own-home.ts', 'test/compile-cache.ts', 'test/open-checkout.ts'],
    allowOnly: false,
    // Many tests wait for processes of their own, so one more than there are cores keeps those busy.
    maxWorkers: 3,
    // Only ends what hangs: tests wait for events, and a machine with much else to do is slow.
    testTimeout: isLong ? 600_000 : patienceMs + 60_000,
    hookTimeout: 300_000,
  },
})
