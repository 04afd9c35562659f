import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PresetName } from '../src/config/presets.ts'
import { atMost, cpuClock, timeInTurns } from './measure.ts'
import type { Row, Work } from './measure.ts'
import { makePlace } from './place.ts'
import type { Place } from './place.ts'

const LINE = 'a line of ordinary length in a large file\n'
const BODY = LINE.repeat(Math.ceil((2 * 1024 ** 2) / LINE.length))

/** Row 16: an edit of a large file that is asked about, with its preview, against one that runs unasked. */
export async function approvedRow(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const asked = await openEditor(place, 'asked.txt', 'ask', 1)
    const unasked = await openEditor(place, 'unasked.txt', 'auto', 0)
    const times = await timeInTurns(
      { asked: asked.edit, unasked: unasked.edit },
      { rounds: 21, runs: 3, clock: cpuClock },
    )
    await asked.close()
    await unasked.close()
    return [
      atMost(
        '16 approved edit of a 2 MB file against the same unasked, CPU',
        times.asked / 1000,
        times.unasked / 1000,
        'ms per edit',
        1.9,
      ),
    ]
  } finally {
    place.clean()
  }
}

interface Editor {
  readonly edit: Work
  readonly close: () => Promise<void>
}

async function openEditor(
  place: Place,
  path: string,
  preset: PresetName,
  questionsPerEdit: number,
): Promise<Editor> {
  writeFileSync(join(place.root, path), `version 0\n${BODY}`)
  let questions = 0
  const runtime = await place.open({
    preset,
    approve: (requests) => {
      questions += requests.length
      return requests.map(() => 'once' as const)
    },
  })
  const call = async (name: string, args: Readonly<Record<string, unknown>>): Promise<void> => {
    const [result] = await runtime.run([{ id: 'e', name, args }])
    if (result?.ok !== true) throw new Error(`${name} failed: ${result?.content}`)
  }
  await call('read_file', { path, start_line: 1, end_line: 1 })
  let version = 0
  return {
    async edit() {
      await call('edit_file', { path, old: `version ${version}\n`, new: `version ${version + 1}\n` })
      version++
      if (questions !== version * questionsPerEdit)
        throw new Error(`${questions} questions for ${version} edits`)
    },
    close: () => runtime.close(),
  }
}
