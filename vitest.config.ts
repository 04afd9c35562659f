import { configDefaults, defineConfig } from 'vitest/config'

const isLong = process.env['TONGS_LONG'] === '1'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isLong ? [] : ['test/**/*.long.test.ts'])],
    globalSetup: ['test/own-temp.ts', 'test/own-home.ts', 'test/open-checkout.ts'],
    allowOnly: false,
    // Many tests wait for processes of their own, so one more than there are cores keeps those busy.
    maxWorkers: 3,
    // Only ends what hangs: tests wait for events, and a machine with much else to do is slow.
    testTimeout: isLong ? 600_000 : 300_000,
    hookTimeout: 300_000,
  },
})
