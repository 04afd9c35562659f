import { expect, it } from 'vitest'
import { SEED } from '../harness/faults/repeat.ts'
import { killTalks } from '../harness/faults/talks/talks.ts'

const FILE = 'test/faults/talk-kills.long.test.ts'
const KILLS = Number(process.env['FAULTS_TALK_KILLS'] ?? 500)
const TIMEOUT_MS = 6 * 3_600_000

it(`${KILLS} kills of a conversation break no promise`, { timeout: TIMEOUT_MS }, async () => {
  const { broken, kills } = await killTalks(KILLS, SEED, FILE)
  expect(broken).toEqual([])
  expect(kills).toBeGreaterThanOrEqual(KILLS)
})
