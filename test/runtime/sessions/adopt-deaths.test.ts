import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { systemClock } from '../../../src/host/system/clock.ts'
import { openForRoot } from '../../../src/journal/access/moved-root.ts'
import { openStore } from '../../../src/journal/open-store.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import { adoptRoot } from '../../../src/runtime/sessions/adopt-root.ts'
import type { Adopted } from '../../../src/runtime/sessions/adopt-root.ts'
import { liveUntil } from '../../harness/faults/mortal.ts'
import { FASTEST, makeScratch } from '../../harness/scratch.ts'

/** A folder with a history that was renamed, and a state folder that can be put back to how it was then. */
async function renamedFolder() {
  const scratch = makeScratch(FASTEST)
  const [old, root, stateDir] = [scratch.folder('old'), scratch.at('new'), scratch.at('state')]
  const runtime = await createRuntime({ root: old, stateDir, approve: (asked) => asked.map(() => 'once') })
  await runtime.run([{ id: 'c', name: 'write_file', args: { path: 'a', content: 'a\n' } }])
  await runtime.close()
  renameSync(old, root)
  const [first, left] = [scratch.at('state-first'), scratch.at('state-left')]
  cpSync(stateDir, first, { recursive: true })
  const replaceState = (by: string): void => {
    rmSync(stateDir, { recursive: true, force: true })
    cpSync(by, stateDir, { recursive: true })
  }
  const adopt = (): Promise<Adopted> =>
    adoptRoot({ root, from: old, stateDir, witness: '', clock: systemClock, isSure: false })
  return {
    old,
    root,
    stateDir,
    adopt,
    startAnew: () => replaceState(first),
    keepState: () => cpSync(stateDir, left, { recursive: true }),
    takeUp: () => {
      replaceState(left)
      rmSync(left, { recursive: true })
    },
  }
}

type Renamed = Awaited<ReturnType<typeof renamedFolder>>

/** How many sessions each of the two folders has. */
function sessionsOf({ old, root, stateDir }: Renamed): readonly number[] {
  return [old, root].map((folder) => {
    const store = openForRoot(
      openStore({ stateDir, durability: 'full', clock: systemClock, witness: '' }),
      folder,
    )
    try {
      return store.sessions(folder).length
    } finally {
      store.close()
    }
  })
}

it('adopting that is killed at any step leaves one folder with the history, and goes on if it is done again', async () => {
  const renamed = await renamedFolder()
  for (let step = 1; ; step++) {
    renamed.startAnew()
    const { diedAt } = await liveUntil(
      (_step, number) => number === step,
      renamed.keepState,
      async () => void (await renamed.adopt()),
    )
    if (diedAt === null) {
      expect(step).toBeGreaterThan(10)
      break
    }
    renamed.takeUp()
    expect.soft(['1,0', '0,1'], `after ${diedAt.name} ${step}`).toContain(sessionsOf(renamed).join())
    expect
      .soft(await renamed.adopt(), `after ${diedAt.name} ${step}`)
      .toMatchObject({ ok: true, sessions: 1 })
    expect.soft(sessionsOf(renamed), `after ${diedAt.name} ${step}`).toEqual([0, 1])
  }
  expect(sessionsOf(renamed)).toEqual([0, 1])
})

it('what an earlier version left between its two notes is adopted by doing it again', async () => {
  const renamed = await renamedFolder()
  const { old, root, stateDir } = renamed
  const store = openStore({ stateDir, durability: 'full', clock: systemClock, witness: '' })
  store.writeValue(`root ${root}`, JSON.stringify({ recordedAs: old, former: [old] }))
  store.close()
  expect(sessionsOf(renamed)).toEqual([1, 1])
  expect(await renamed.adopt()).toMatchObject({ ok: true, sessions: 1 })
  expect(sessionsOf(renamed)).toEqual([0, 1])
})

it('a folder with a history of its own adopts no other one, also if it adopted that path once', async () => {
  const renamed = await renamedFolder()
  const { old, stateDir } = renamed
  expect(await renamed.adopt()).toMatchObject({ ok: true })
  mkdirSync(old)
  const runtime = await createRuntime({ root: old, stateDir, approve: (asked) => asked.map(() => 'once') })
  await runtime.run([{ id: 'c', name: 'write_file', args: { path: 'b', content: 'b\n' } }])
  await runtime.close()
  rmSync(old, { recursive: true })
  expect(existsSync(old)).toBe(false)
  expect(await renamed.adopt()).toMatchObject({
    ok: false,
    why: expect.stringContaining('a history of its own'),
  })
})
