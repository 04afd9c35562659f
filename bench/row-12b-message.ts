import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolCall } from '../src/index.ts'
import { editFloor } from './floors.ts'
import { atMost, timeInTurns, withLimit } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'

const EDITS = 10

/** Row 12b: a message of ten edits under full durability, which share one commit point, against a message of one. */
export async function messageRow(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const names = Array.from({ length: EDITS }, (_, index) => `f${index}.txt`)
    for (const name of [...names, 'alone.txt']) writeFileSync(join(place.root, name), 'version 0\nmore\n')
    const runtime = await place.open({ durability: 'full', config: { 'tools.approval.mode': 'auto' } })
    let ten = 0
    let one = 0
    const edit = (path: string, version: number): ToolCall => ({
      id: path,
      name: 'edit_file',
      args: { path, old: `version ${version}\n`, new: `version ${version + 1}\n` },
    })
    const run = async (calls: readonly ToolCall[]): Promise<void> => {
      const failed = (await runtime.run(calls)).find(({ ok }) => !ok)
      if (failed !== undefined) throw new Error(failed.content)
    }
    await run([...names, 'alone.txt'].map((path) => ({ id: path, name: 'read_file', args: { path } })))
    const times = await timeInTurns(
      {
        one: () => run([edit('alone.txt', one++)]),
        ten: async () => {
          await run(names.map((name) => edit(name, ten)))
          ten++
        },
      },
      { rounds: 21, runs: 5, warmUp: 40 },
    )
    await runtime.close()
    return [
      withLimit(
        atMost('12b a message of ten edits under full, against one edit', times.ten, times.one, 'us', 3),
        await editFloor(place, EDITS),
      ),
    ]
  } finally {
    place.clean()
  }
}
