import { expect, it } from 'vitest'
import { killMany } from '../harness/faults/kill-many.ts'
import { SEED } from '../harness/faults/repeat.ts'

const FILE = 'test/faults/kills.long.test.ts'
const KILLS = Number(process.env['FAULTS_KILLS'] ?? 10_000)
const TIMEOUT_MS = 6 * 3_600_000

it(`${KILLS} kills break no promise`, { timeout: TIMEOUT_MS }, async () => {
  const { broken, kills } = await killMany(KILLS, SEED, FILE)
  expect(broken).toEqual([])
  expect(kills).toBeGreaterThanOrEqual(KILLS)
})
