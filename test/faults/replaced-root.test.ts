import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Runtime } from '../../src/runtime/create-runtime.ts'
import { TONGS } from '../faces/cli/command-line.ts'
import { layStage, learnGolden } from '../harness/faults/world/golden.ts'
import { liveThrough } from '../harness/faults/life.ts'
import { openWorld } from '../harness/faults/world/open-world.ts'
import { LIBRARY_CALLS, SESSION } from '../harness/faults/world/script.ts'
import { findStage } from '../harness/faults/world/stages.ts'
import { compareTrees, readTree } from '../harness/faults/world/tree.ts'
import { copyAll, makeWorld } from '../harness/faults/world/world.ts'

const world = makeWorld()
afterAll(world.remove)
await learnGolden(world, LIBRARY_CALLS)
beforeEach(() => world.restore('files'))

const WAITS = 'is finished once that folder is here again'
const real = `${world.root}-real`

/** Lets a process die in the middle of putting files in place, and puts a copy in the place of the root. */
async function dieAndReplace(stageName: string) {
  const stage = findStage(stageName)
  await layStage(world, stage, LIBRARY_CALLS)
  let renames = 0
  const isFatal = ({ name }: { readonly name: string }): boolean => name === 'renameSync' && ++renames === 2
  const { diedAt } = await liveThrough(world, stage, LIBRARY_CALLS, isFatal)
  expect(diedAt).not.toBeNull()
  fs.renameSync(world.root, real)
  copyAll(real, world.root)
  return readTree(world.root)
}

function putBack(): void {
  fs.rmSync(world.root, { recursive: true })
  fs.renameSync(real, world.root)
}

async function reopened<T>(use: (runtime: Runtime) => Promise<T>): Promise<T> {
  const runtime = await openWorld(world)
  try {
    await runtime.ready()
    return await use(runtime)
  } finally {
    await runtime.close()
  }
}

const tongs = (...words: readonly string[]): string =>
  spawnSync(TONGS, [...words, '--root', world.root], {
    cwd: world.root,
    env: { ...process.env, TONGS_STATE_DIR: world.stateDir },
    encoding: 'utf8',
  }).stdout

const evidence = async (runtime: Runtime) =>
  (await runtime.recover({ session: SESSION })).flatMap(({ calls }) => calls.map((call) => call.evidence))

describe('what a killed process committed, if another folder took the place of the root', () => {
  it.for(['a first batch', 'undo', 'redo'])(
    'is finished in its own folder once that is back, and not in the other: %s',
    async (stage) => {
      const torn = await dieAndReplace(stage)
      await reopened(async (runtime) => {
        expect(await evidence(runtime)).toContainEqual(expect.stringContaining(WAITS))
        await runtime.recover({ session: SESSION, choice: 'discard' })
        expect(await runtime.redo({ session: SESSION })).toMatchObject({ ok: false })
      })
      expect(compareTrees(torn, readTree(world.root))).toEqual([])
      putBack()
      await reopened(async (runtime) => {
        expect(await evidence(runtime)).not.toContainEqual(expect.stringContaining(WAITS))
      })
      expect([...readTree(world.root).keys()].filter((name) => name.includes('.tongs-'))).toEqual([])
      expect(compareTrees(torn, readTree(world.root))).not.toEqual([])
    },
  )

  it('is named by the log, by recover and by the doctor until then, and the copy can be worked in', async () => {
    await dieAndReplace('undo')
    for (const words of [['recover'], ['log', '--session', SESSION]])
      expect(tongs(...words), words.join(' ')).toContain(WAITS)
    expect(tongs('doctor')).toMatch(/unfinished .*session/)
    // Nothing of what waits holds up the files of the copy.
    const [taken = ''] = [...readTree(world.root)].flatMap(([path, entry]) =>
      entry.startsWith('file') ? [path] : [],
    )
    const calls = [{ id: 'd', name: 'delete_path', args: { path: taken } }]
    await reopened(async (runtime) => {
      expect(await runtime.run(calls, { session: 'other' })).toMatchObject([{ ok: true }])
    })
    putBack()
    await reopened(async () => undefined)
    expect(tongs('doctor')).not.toContain('unfinished')
    expect(tongs('recover')).not.toContain(WAITS)
  })
})
