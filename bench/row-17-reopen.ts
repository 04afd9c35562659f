import { join } from 'node:path'
import { atMost, cpuClock, timeInTurns } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'
import type { Place } from './place.ts'

const SHORT = 1_000
const LONG = 100_000

/** Row 17: opening a root, one call and closing it, after many calls against after few. */
export async function reopenRow(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const few = await fill(place, SHORT)
    const many = await fill(place, LONG)
    const times = await timeInTurns({ few, many }, { rounds: 15, runs: 1, clock: cpuClock })
    return [
      atMost(
        '17 open, one call and close after 100,000 calls against after 1,000, CPU',
        times.many / 1000,
        times.few / 1000,
        'ms',
        1.2,
      ),
    ]
  } finally {
    place.clean()
  }
}

/** Fills a state folder with calls, and gives what opens it once more. */
async function fill(place: Place, count: number): Promise<() => Promise<void>> {
  const options = { durability: 'normal', stateDir: join(place.top, `of-${count}`) } as const
  const call = { id: '1', name: 'trivial', args: { a: 1, b: 2 } }
  const runtime = await place.open(options)
  for (let done = 0; done < count; done++) await runtime.run([call])
  await runtime.close()
  return async () => {
    const again = await place.open(options)
    await again.run([call])
    await again.close()
  }
}
