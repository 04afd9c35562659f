import { afterAll, expect, it } from 'vitest'
import { makeShop, writes } from './command-line.ts'
import { roundsOf } from '../../harness/long-run.ts'

const PROCESSES = process.env['TONGS_LONG'] === '1' ? 20 : roundsOf(4, 8)
const shop = makeShop({ 'a.txt': 'a\n' })
afterAll(() => shop.remove())

it(`${PROCESSES} processes on one session take turns, and each is done once`, async () => {
  await shop.batch([writes('first')], '--yes')
  const names = Array.from({ length: PROCESSES }, (_, index) => `n${index}`)
  const ends = await Promise.all(names.map((name) => shop.batch([writes(name)], '--yes')))
  expect(ends.map(({ code }) => code)).toEqual(names.map(() => 0))
  expect(names.map((name) => shop.get(name))).toEqual(names.map((name) => `${name}\n`))
  for (const { err } of ends) expect(err.match(/is in use by/g)?.length ?? 0).toBeLessThan(2)
  const { out } = await shop.tongs(['audit', 'verify', '--json'])
  expect(JSON.parse(out)).toMatchObject({ ok: true, sessions: 1 })
})
