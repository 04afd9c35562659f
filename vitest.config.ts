import { configDefaults, defineConfig } from 'vitest/config'

const isLong = process.env['TONGS_LONG'] === '1'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isLong ? [] : ['test/**/*.long.test.ts'])],
    globalSetup: ['test/own-home.ts'],
    allowOnly: false,
    // Many tests wait for processes of their own, so one more than there are cores keeps those busy.
    maxWorkers: 3,
    testTimeout: isLong ? 600_000 : 20_000,
    hookTimeout: 60_000,
  },
})
