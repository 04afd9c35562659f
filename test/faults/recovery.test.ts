import * as fs from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { ToolCall } from '../../src/core/call.ts'
import { verifyStore } from '../../src/journal/chain/verify-store.ts'
import type { Runtime } from '../../src/runtime/create-runtime.ts'
import { layStage, learnGolden } from '../harness/faults/world/golden.ts'
import { liveThrough } from '../harness/faults/life.ts'
import { openWorld } from '../harness/faults/world/open-world.ts'
import { LIBRARY_CALLS, SESSION } from '../harness/faults/world/script.ts'
import { findStage } from '../harness/faults/world/stages.ts'
import { watchSteps } from '../harness/faults/world/steps.ts'
import type { Step } from '../harness/faults/world/watching.ts'
import { compareTrees, readTree } from '../harness/faults/world/tree.ts'
import { makeWorld, readMarks } from '../harness/faults/world/world.ts'

const world = makeWorld()
afterAll(world.remove)
const golden = await learnGolden(world, LIBRARY_CALLS)
beforeEach(() => world.restore('files'))

/** The patch is the last edit, so that nothing is committed together with it. */
const UP_TO_PATCH = LIBRARY_CALLS.slice(0, LIBRARY_CALLS.findIndex(({ name }) => name === 'apply_patch') + 1)

/** The n-th step of a kind. */
function nth(name: string, number: number): (step: Step) => boolean {
  let seen = 0
  return (step) => step.name === name && ++seen === number
}

async function die(
  stageName: string,
  isFatal: (step: Step) => boolean,
  calls: readonly ToolCall[] = LIBRARY_CALLS,
): Promise<void> {
  const stage = findStage(stageName)
  await layStage(world, stage, calls)
  const { diedAt } = await liveThrough(world, stage, calls, isFatal)
  expect(diedAt).not.toBeNull()
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

const put = (name: string, text: string): void => fs.writeFileSync(join(world.root, name), text)
const textOf = (name: string): string => fs.readFileSync(join(world.root, name), 'utf8')
const leftovers = (): readonly string[] =>
  [...readTree(world.root).keys()].filter((name) => name.includes('.tongs-'))

describe('what was interrupted', () => {
  it('FR-RES-04c: recovery says what is known of each call and starts none again', async () => {
    const isCommitOfTidy = ({ name, target }: Step): boolean =>
      readMarks(world).length === 1 && name === 'run' && target === 'COMMIT'
    await die('a first batch', isCommitOfTidy)
    const started = readMarks(world)
    await reopened(async (runtime) => {
      const [batch] = await runtime.recover({ session: SESSION })
      const statuses = batch?.calls.map(({ name, status }) => `${name} ${status}`)
      expect(statuses).toEqual([
        ...Array.from({ length: 5 }, () => 'read_file finished'),
        'apply_patch finished',
        'write_file finished',
        'tidy never_started',
        'look never_started',
        'write_file never_started',
      ])
      await runtime.recover({ session: SESSION, choice: 'resume' })
      expect(await runtime.recover({ session: SESSION })).toEqual([])
    })
    expect(readMarks(world)).toEqual(started)
    expect(compareTrees(golden[2] ?? new Map(), readTree(world.root))).toEqual([])
  })

  it('does not keep the session from going on', async () => {
    await die('a first batch', nth('renameSync', 3))
    await reopened(async (runtime) => {
      const [result] = await runtime.run([{ id: 'n', name: 'read_file', args: { path: 'a.txt' } }], {
        session: SESSION,
      })
      expect(result).toMatchObject({ ok: true, content: 'alpha\nBETA\ngamma\n' })
      expect(await runtime.recover({ session: SESSION })).toHaveLength(1)
    })
  })
})

describe('a commit that meets a file which is neither old nor new', () => {
  it('touches nothing further, names the file, and leaves it to a person', async () => {
    await die('a first batch', nth('renameSync', 2))
    put('run.sh', 'somebody else was here\n')
    await reopened(async (runtime) => {
      const calls = (await runtime.recover({ session: SESSION })).flatMap((batch) => batch.calls)
      const doubtful = calls.find(({ status }) => status === 'in_doubt')
      expect(doubtful).toMatchObject({ name: 'apply_patch', evidence: expect.stringContaining('run.sh') })
    })
    expect(textOf('run.sh')).toBe('somebody else was here\n')
    expect(textOf('deep/er/old.txt')).toBe('old\n')
    expect(leftovers()).toEqual([])
    expect(fs.existsSync(join(world.root, 'new'))).toBe(false)
  })

  it('is not finished behind that person’s back, and can be closed', async () => {
    await die('a first batch', nth('renameSync', 2))
    put('run.sh', 'somebody else was here\n')
    await reopened(async () => undefined)
    put('run.sh', '#!/bin/sh\necho one\n')
    await reopened(async (runtime) => {
      expect(textOf('deep/er/old.txt')).toBe('old\n')
      await runtime.recover({ session: SESSION, choice: 'resume' })
      expect(await runtime.recover({ session: SESSION })).toEqual([])
    })
    await reopened(async () => undefined)
    expect(textOf('deep/er/old.txt')).toBe('old\n')
    expect(verifyStore(world.stateDir)).toMatchObject({ ok: true })
  })

  it('is shown and can be closed also where it was an undo', async () => {
    await die('undo', nth('renameSync', 2))
    put('log.txt', 'somebody else was here\n')
    await reopened(async (runtime) => {
      const calls = (await runtime.recover({ session: SESSION })).flatMap((batch) => batch.calls)
      expect(calls).toMatchObject([
        { name: 'undo', status: 'in_doubt', evidence: expect.stringContaining('log.txt') },
      ])
      await runtime.recover({ session: SESSION, choice: 'discard' })
      expect(await runtime.recover({ session: SESSION })).toEqual([])
    })
    expect(textOf('log.txt')).toBe('somebody else was here\n')
    expect(leftovers()).toEqual([])
  })
})

/** Lets everything fail that would write new content into the workspace. */
async function onFullDisk(body: () => Promise<void>): Promise<void> {
  const full = Object.assign(new Error('ENOSPC'), { code: 'ENOSPC', errno: -28 })
  await watchSteps(
    ({ name, target }) => (name === 'openSync' && target.includes('.tongs-') ? { error: full } : null),
    body,
  )
}

describe('discarding a commit that is only partly in place', () => {
  it('takes back what is in place, and no later command lands the rest', async () => {
    await die('a first batch', nth('renameSync', 2))
    await onFullDisk(() =>
      reopened(async (runtime) => {
        const [batch] = await runtime.recover({ session: SESSION, choice: 'discard' })
        const patch = batch?.calls.find(({ name }) => name === 'apply_patch')
        expect(patch).toMatchObject({ status: 'in_doubt', evidence: expect.stringContaining('taken back') })
      }),
    )
    await reopened(async (runtime) => {
      expect(await runtime.recover({ session: SESSION })).toEqual([])
      expect(await runtime.undo({ session: SESSION })).toMatchObject({ ok: false, calls: [] })
    })
    expect(compareTrees(golden[0] ?? new Map(), readTree(world.root))).toEqual([])
    expect(verifyStore(world.stateDir)).toMatchObject({ ok: true })
  })

  it('leaves a file alone that changed outside the call, and says so', async () => {
    await die('a first batch', nth('renameSync', 3))
    put('run.sh', 'somebody else was here\n')
    await reopened(async (runtime) => {
      expect(textOf('a.txt')).toBe('alpha\nBETA\ngamma\n')
      const [batch] = await runtime.recover({ session: SESSION, choice: 'discard' })
      const patch = batch?.calls.find(({ name }) => name === 'apply_patch')
      expect(patch).toMatchObject({ status: 'discarded', evidence: expect.stringContaining('except run.sh') })
      expect(await runtime.recover({ session: SESSION })).toEqual([])
    })
    await reopened(async () => undefined)
    expect(textOf('a.txt')).toBe('alpha\nbeta\ngamma\n')
    expect(textOf('run.sh')).toBe('somebody else was here\n')
    expect(textOf('deep/er/old.txt')).toBe('old\n')
    expect(leftovers()).toEqual([])
  })
})

describe('undoing a call that never got fully in place', () => {
  it('takes back what is in place, once no file of it is in anyone else’s state', async () => {
    await die('a first batch', nth('renameSync', 3), UP_TO_PATCH)
    put('odd.txt', 'somebody else was here\n')
    await reopened(async (runtime) => {
      expect(await runtime.undo({ session: SESSION })).toMatchObject({ ok: false, drifted: ['odd.txt'] })
    })
    put('odd.txt', '\u{feff}one\r\ntwo\r\nno end')
    await reopened(async (runtime) => {
      expect(await runtime.undo({ session: SESSION })).toMatchObject({ ok: true, drifted: [] })
      expect(compareTrees(golden[0] ?? new Map(), readTree(world.root))).toEqual([])
      expect(await runtime.undo({ session: SESSION })).toMatchObject({ ok: false, calls: [] })
    })
    await reopened(async () => undefined)
    expect(compareTrees(golden[0] ?? new Map(), readTree(world.root))).toEqual([])
  })
})

describe('a commit that cannot be put in place because the disk is full', () => {
  it('leaves every file as before, says so, and is finished by the next call of the same program', async () => {
    const runtime = await openWorld(world, 'once', { 'tools.on_execution_error': 'stop' })
    try {
      await onFullDisk(async () => {
        const results = await runtime.run(LIBRARY_CALLS, { session: SESSION })
        const patch = results.find(({ name }) => name === 'apply_patch')
        expect(patch).toMatchObject({
          ok: false,
          error: { code: 'in_doubt', message: expect.stringContaining('the disk is full') },
        })
      })
      expect(compareTrees(golden[0] ?? new Map(), readTree(world.root))).toEqual([])
      await runtime.run([{ id: 'n', name: 'read_file', args: { path: 'a.txt' } }], { session: 'another' })
      expect(compareTrees(golden[1] ?? new Map(), readTree(world.root))).toEqual([])
    } finally {
      await runtime.close()
    }
  })

  it('is not given up by a recovery that cannot finish it either', async () => {
    await die('a first batch', nth('renameSync', 1), UP_TO_PATCH)
    await onFullDisk(() =>
      reopened(async (runtime) => {
        await runtime.recover({ session: SESSION, choice: 'resume' })
      }),
    )
    await reopened(async () => undefined)
    expect(compareTrees(golden[1] ?? new Map(), readTree(world.root))).toEqual([])
  })
})
