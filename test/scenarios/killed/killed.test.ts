import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RecoveryChoice } from '../../../src/pipeline/after/recover.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { someOf } from '../../harness/long-run.ts'
import type { Likeness } from '../face.ts'
import { normalize } from '../normalize.ts'
import { makePlace } from '../place.ts'
import type { Place } from '../place.ts'
import { isRunning, readRecord } from '../play.ts'
import type { Scenario } from '../scenario.ts'
import { calls, shell, write } from '../scripts/make-call.ts'
import { KILLED_FACES, killedLibrary } from './killed-faces.ts'
import type { KilledFace } from './killed-faces.ts'

/** The command in the middle of which the process dies; its number tells it from those of other runs. */
const RUNNING = `sleep 1${process.pid}`
const LOOK_MS = 20

const SCENARIO: Scenario = {
  name: 'the process is killed while a command runs, and a person recovers',
  files: { 'a.txt': 'alpha\n' },
  preset: 'auto',
  steps: [
    calls(
      write('made.txt', 'made\n'),
      shell(`echo half > half.txt; exec ${RUNNING}`),
      write('late.txt', 'late\n'),
    ),
  ],
  rows: [],
}

/** What is left of it: the files, what each call came to, and everything on record. */
async function playKilled(face: KilledFace, choice: RecoveryChoice, like: Likeness = face.like) {
  const place = makePlace(SCENARIO)
  try {
    const { kill, session, hasEnded } = await face.start(place, SCENARIO, like)
    while (!isRunning(RUNNING)) {
      if (hasEnded()) throw new Error('it ended before it was killed')
      await sleep(LOOK_MS)
    }
    await kill()
    while (isRunning(RUNNING)) await sleep(LOOK_MS)
    await face.recover(place, choice, session)
    return { files: place.files(), rows: await readRows(place), ...(await readRecord(place)) }
  } finally {
    place.remove()
  }
}

/** The results of all calls on record, as a newcomer reads them. */
async function readRows(place: Place): Promise<readonly unknown[]> {
  const { root, stateDir } = place
  const runtime = await createRuntime({ root, stateDir, durability: 'normal' })
  const rows = [...runtime.log()].flatMap(({ session, entry }) =>
    entry.kind === 'batch' ? entry.calls.map(({ execution }) => runtime.rowOf(session.name, execution)) : [],
  )
  await runtime.close()
  return normalize(rows, place)
}

const played = new Map<string, ReturnType<typeof playKilled>>()

/** What comes of it in the library, played once for each likeness. */
function inLibrary(choice: RecoveryChoice, like: Likeness): ReturnType<typeof playKilled> {
  const key = JSON.stringify([choice, like])
  const known = played.get(key) ?? playKilled(killedLibrary, choice, like)
  played.set(key, known)
  return known
}

const LEFT = {
  resume: { 'a.txt': 'alpha\n', 'made.txt': 'made\n' },
  discard: { 'a.txt': 'alpha\n' },
} as const

describe('a process that is killed in the middle of a call', () => {
  it.for(['resume', 'discard'] as const)(
    'leaves nothing of its command, and a result for every call, after a person has chosen to %s',
    async (choice) => {
      const { files, rows, chainFault } = await inLibrary(choice, killedLibrary.like)
      expect(files).toEqual(LEFT[choice])
      expect(rows).toMatchObject([
        { name: 'write_file', execution: { state: 'COMPLETED' } },
        { name: 'run_shell', ok: false, execution: { state: 'ROLLED_BACK' } },
        { name: 'write_file', ok: false, execution: { state: 'FAILED' } },
      ])
      expect(chainFault).toBeNull()
    },
  )

  const cases = KILLED_FACES.flatMap((face) =>
    (['resume', 'discard'] as const).map((choice) => [face.name, choice, face] as const),
  )
  it.for(someOf(cases, 2))(
    'gives the same results, files and audit trail through %s as through the library: %s',
    async ([, choice, face]) => {
      expect(await playKilled(face, choice)).toEqual(await inLibrary(choice, face.like))
    },
  )
})
