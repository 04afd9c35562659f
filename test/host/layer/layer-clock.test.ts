import { expect, it } from 'vitest'
import { startBySetClock } from '../../../src/host/layer/enter/layer-clock.ts'
import { openLayer } from '../../../src/host/layer/open-layer.ts'
import { fileStampOf, isSettled } from '../../../src/host/root/file-stat.ts'
import { openRoot } from '../../../src/host/root/open-root.ts'
import { makeScratch } from '../../harness/scratch.ts'

it('a layer begins earlier if the clock is set back while its command runs', () => {
  const scratch = makeScratch()
  const places = [scratch.folder('place')]
  const layer = openLayer({ execution: 'e1', roots: [scratch.folder('root')], places, rung: 'overlay' })
  expect(startBySetClock(layer)).toBe(layer.startedMs)
  expect(startBySetClock(layer, () => layer.startedMs + 3_600_000)).toBe(layer.startedMs)
  const hourEarlier = startBySetClock(layer, () => layer.startedMs - 3_600_000)
  expect(hourEarlier).toBeLessThanOrEqual(layer.startedMs - 3_600_000)
})

it('a file with a time in whole seconds may change again within that second without a trace', () => {
  const scratch = makeScratch()
  scratch.file('a')
  const root = openRoot(scratch.path)
  const found = root.stat('a')
  root.close()
  if (found === null) throw new Error('no file')
  const [changedMs, modifiedMs] = [5_000, 5_000]
  const coarse = { ...found, changedMs, modifiedMs }
  expect([fileStampOf(coarse, 5_900), isSettled(coarse, 5_900)]).toEqual([null, false])
  expect([fileStampOf(coarse, 6_100)?.changedMs, isSettled(coarse, 6_100)]).toEqual([5_000, true])
  const fine = { ...found, changedMs: 5_000.5, modifiedMs: 5_001 }
  expect([fileStampOf(fine, 5_900)?.changedMs, isSettled(fine, 5_900)]).toEqual([5_000.5, true])
})
