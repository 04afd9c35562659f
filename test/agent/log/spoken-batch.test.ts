import { expect, it } from 'vitest'
import { joinOwnRows } from '../../../src/agent/log/spoken-batch.ts'
import { stage } from '../../pipeline/plan/rule-stage.ts'

it('a model is answered once for each of its calls, and hears there what the runtime ran first', async () => {
  const s = await stage([{ tool: 'b', type: 'StartConstraint' }])
  await s.turn(['a', 'a', 'a'])
  expect(s.rows()).toHaveLength(4)
  const joined = joinOwnRows(s.rows())
  expect(joined.map(({ id }) => id)).toEqual(['c0', 'c1', 'c2'])
  expect(joined[2]?.content).toBe('b was run first: b\n\na')
})
