import { chmodSync } from 'node:fs'
import { expect, it } from 'vitest'
import { runOrdinary } from '../../harness/ordinary-user.ts'
import { FASTEST, makeScratch } from '../../harness/scratch.ts'

it('a process that dies while names change in read-only folders leaves what the next one finishes or takes back with the modes, and no folder open', () => {
  const scratch = makeScratch(FASTEST)
  chmodSync(scratch.path, 0o1777)
  const found = runOrdinary(new URL('shut-deaths-child.ts', import.meta.url), scratch.path)
  expect(found).toEqual({ start: 6, end: 7, deaths: [expect.any(Number), expect.any(Number)], broken: [] })
  const { deaths } = found as { readonly deaths: readonly number[] }
  expect(Math.min(...deaths)).toBeGreaterThan(12)
})
