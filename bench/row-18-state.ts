import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { noMoreThan } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'

const CALLS = 10_000

/**
 * Row 18: what each of many calls leaves on disk once its process has ended. The first process pays for what a state folder
 * takes in any case, such as the room that is kept for a full disk.
 */
export async function stateRow(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const stateDir = join(place.top, 'state')
    const callOften = async (times: number): Promise<number> => {
      const runtime = await place.open({ durability: 'normal', stateDir })
      for (let done = 0; done < times; done++)
        await runtime.run([{ id: '1', name: 'trivial', args: { a: 1, b: 2 } }], { session: 'long' })
      await runtime.close()
      return sizeOf(stateDir)
    }
    const before = await callOften(100)
    const bytes = ((await callOften(CALLS)) - before) / CALLS
    return [noMoreThan('18 state on disk per trivial call, after its process has ended', bytes, 'bytes', 600)]
  } finally {
    place.clean()
  }
}

function sizeOf(stateDir: string): number {
  const files = readdirSync(stateDir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
