import * as fs from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Clock } from '../../src/core/clock.ts'
import { systemClock } from '../../src/host/system/clock.ts'
import type { Runtime } from '../../src/runtime/create-runtime.ts'
import { bench } from '../bench-folder.ts'
import type { Bench } from '../bench-folder.ts'
import { layStage, learnGolden } from '../harness/faults/world/golden.ts'
import { liveThrough } from '../harness/faults/life.ts'
import { openWorld } from '../harness/faults/world/open-world.ts'
import { LIBRARY_CALLS, SESSION } from '../harness/faults/world/script.ts'
import { findStage } from '../harness/faults/world/stages.ts'
import { compareTrees, readTree } from '../harness/faults/world/tree.ts'
import { makeWorld } from '../harness/faults/world/world.ts'

const HOUR_MS = 3_600_000
const OLD = 'one\ntwo\nthree\n'
const NEW = `all new\n${'a line that makes it longer than a sector\n'.repeat(40)}`
const PATCH = `LP1\nF kept.txt\nR\ntwo\n.\nTWO\n.\nF made/deep/new.txt\nT\nfirst\nsecond\n.\nEND\n`

/** A clock that is wrong by so much: the times of files cannot be set, so those of calls are. */
const clockAt = (offsetMs: number): Clock => ({ ...systemClock, now: () => systemClock.now() + offsetMs })
/** Calls seem to have been made later than anything that happens to files here, as after a power cut. */
const AHEAD = clockAt(HOUR_MS)
/** Calls seem to lie long back, so that what happens to files here is somebody's own doing. */
const BEHIND = clockAt(-HOUR_MS)

async function inRuntime<T>(b: Bench, clock: Clock, use: (runtime: Runtime) => Promise<T>): Promise<T> {
  const config = { 'tools.approval.mode': 'auto' }
  const runtime = await b.open({ durability: 'full', clock, config })
  try {
    await runtime.ready()
    return await use(runtime)
  } finally {
    await runtime.close()
  }
}

const CALLS = [
  { id: '1', name: 'read_file', args: { path: 'kept.txt' } },
  { id: '2', name: 'read_file', args: { path: 'whole.txt' } },
  { id: '3', name: 'apply_patch', args: { patch: PATCH } },
  { id: '4', name: 'write_file', args: { path: 'whole.txt', content: NEW } },
]

async function edit(b: Bench, clock: Clock): Promise<void> {
  await inRuntime(b, clock, async (runtime) => {
    const results = await runtime.run(CALLS)
    expect(results.filter(({ ok }) => !ok)).toEqual([])
  })
}

/** The journal is told that its newest entries are from before the machine was started. */
function restartMachine({ stateDir }: { readonly stateDir: string }): void {
  const database = new DatabaseSync(join(stateDir, 'journal.db'))
  database.exec("UPDATE meta SET value = 'another start' WHERE key = 'boot'")
  database.close()
}

const unsyncedIn = ({ stateDir }: Bench): number => {
  const database = new DatabaseSync(join(stateDir, 'journal.db'))
  const count = database.prepare('SELECT count(*) AS n FROM unsynced').get()?.['n']
  database.close()
  return Number(count)
}

const laid = (): Bench => bench({ 'kept.txt': OLD, 'whole.txt': OLD })
const reopen = (b: Bench, clock = AHEAD): Promise<void> => inRuntime(b, clock, async () => undefined)

/** What a power cut can make of files that were renamed and not synced. */
const CUTS: readonly (readonly [string, (at: (name: string) => string) => void])[] = [
  ['an empty file', (at) => fs.writeFileSync(at('whole.txt'), '')],
  ['a file of zeros', (at) => fs.writeFileSync(at('whole.txt'), new Uint8Array(NEW.length))],
  ['a file that is cut short', (at) => fs.truncateSync(at('whole.txt'), 700)],
  [
    'a file with sectors of zeros',
    (at) => {
      const bytes = fs.readFileSync(at('whole.txt'))
      fs.writeFileSync(at('whole.txt'), bytes.fill(0, 512, 1024))
    },
  ],
  ['the old file under the name', (at) => fs.writeFileSync(at('whole.txt'), OLD)],
  ['a new file without its name', (at) => fs.rmSync(at('made/deep/new.txt'))],
  ['new folders without their names', (at) => fs.rmSync(at('made'), { recursive: true })],
  [
    'all of it',
    (at) => {
      fs.writeFileSync(at('kept.txt'), OLD)
      fs.writeFileSync(at('whole.txt'), '')
      fs.rmSync(at('made'), { recursive: true })
    },
  ],
]

describe('after a power cut', () => {
  it.each(CUTS)('%s is put right by the next command, and it is on record', async (_what, cut) => {
    const b = laid()
    await edit(b, AHEAD)
    const after = readTree(b.root)
    cut((name) => join(b.root, name))
    expect(readTree(b.root)).not.toEqual(after)
    restartMachine(b)
    await inRuntime(b, AHEAD, async (runtime) => {
      expect(readTree(b.root)).toEqual(after)
      expect(await runtime.recover()).toEqual([])
      expect([...runtime.log()].filter(({ entry }) => entry.kind === 'note')).toMatchObject([
        { entry: { about: 'mended' } },
        ...(_what === 'all of it' ? [{ entry: { about: 'mended' } }] : []),
      ])
    })
    expect(unsyncedIn(b)).toBe(0)
  })

  it('a removal that did not get to the disk is done again, as an undo would have left it', async () => {
    const b = laid()
    await edit(b, AHEAD)
    await inRuntime(b, AHEAD, async (runtime) => expect((await runtime.undo({ last: 2 })).ok).toBe(true))
    const after = readTree(b.root)
    b.put('made/deep/new.txt', 'first\nsecond\n')
    restartMachine(b)
    await reopen(b)
    expect(readTree(b.root)).toEqual(after)
  })

  it.each(CUTS)('%s that a person made later is left alone', async (_what, change) => {
    const b = laid()
    await edit(b, BEHIND)
    change((name) => join(b.root, name))
    const theirs = readTree(b.root)
    restartMachine(b)
    await inRuntime(b, systemClock, async (runtime) => {
      expect(readTree(b.root)).toEqual(theirs)
      expect(await runtime.recover()).toEqual([])
    })
    expect(unsyncedIn(b)).toBe(0)
  })

  it.each(CUTS)(
    '%s is left alone if the clock was ahead then and has been set right',
    async (_what, change) => {
      const b = laid()
      await edit(b, AHEAD)
      change((name) => join(b.root, name))
      const theirs = readTree(b.root)
      restartMachine(b)
      await reopen(b, systemClock)
      expect(readTree(b.root)).toEqual(theirs)
    },
  )

  it('a clock that was set right is known by what was recorded since, also long after', async () => {
    const b = laid()
    await edit(b, AHEAD)
    await inRuntime(b, systemClock, async (runtime) => {
      await runtime.run([{ id: '1', name: 'list_directory', args: { path: '.' } }])
    })
    b.put('whole.txt', '')
    restartMachine(b)
    await reopen(b, clockAt(3 * HOUR_MS))
    expect(fs.readFileSync(join(b.root, 'whole.txt'), 'utf8')).toBe('')
  })

  it('a mark that says that files landed much later puts nothing back that somebody removed or emptied', async () => {
    const b = laid()
    await edit(b, BEHIND)
    fs.rmSync(join(b.root, 'made/deep/new.txt'))
    b.put('whole.txt', '')
    const theirs = readTree(b.root)
    restartMachine(b)
    const database = new DatabaseSync(join(b.stateDir, 'journal.db'))
    database.exec('UPDATE unsynced SET at = 99999999999999')
    database.close()
    await reopen(b, systemClock)
    expect(readTree(b.root)).toEqual(theirs)
  })

  it('other content is left alone, whenever it came', async () => {
    const b = laid()
    await edit(b, AHEAD)
    b.put('whole.txt', 'something of their own\n')
    restartMachine(b)
    await inRuntime(b, systemClock, async (runtime) => expect(await runtime.recover()).toEqual([]))
    expect(fs.readFileSync(join(b.root, 'whole.txt'), 'utf8')).toBe('something of their own\n')
  })

  it('without one, nothing is taken for torn', async () => {
    const b = laid()
    await edit(b, AHEAD)
    b.put('whole.txt', '')
    await reopen(b)
    expect(fs.readFileSync(join(b.root, 'whole.txt'), 'utf8')).toBe('')
    expect(unsyncedIn(b)).toBe(2)
  })

  it.each([
    ['is written again', restartMachine, []],
    ['is in doubt where the machine was not started anew', () => undefined, ['in_doubt']],
  ] as const)(
    'a torn file of a commit that was not in place everywhere %s',
    async (_what, restart, doubts) => {
      const world = makeWorld()
      onTestFinished(world.remove)
      const golden = await learnGolden(world, LIBRARY_CALLS)
      const stage = findStage('a first batch')
      await layStage(world, stage, LIBRARY_CALLS)
      let renames = 0
      await liveThrough(world, stage, LIBRARY_CALLS, ({ name }) => name === 'renameSync' && ++renames === 3)
      expect(renames).toBe(3)
      fs.writeFileSync(join(world.root, 'run.sh'), '#!/bin/sh\n')
      restart(world)
      const runtime = await openWorld(world)
      try {
        await runtime.ready()
        const found = (await runtime.recover({ session: SESSION })).flatMap(({ calls }) => calls)
        expect(found.flatMap(({ status }) => (status === 'in_doubt' ? [status] : []))).toEqual(doubts)
        // The patch and the append after it are committed together.
        const faults = compareTrees(golden[2] ?? new Map(), readTree(world.root))
        if (doubts.length === 0) expect(faults).toEqual([])
        else expect(faults).not.toEqual([])
      } finally {
        await runtime.close()
      }
    },
  )
})

describe('commits in place', () => {
  it('are synced together once there are many, and never by the call itself', async () => {
    const b = laid()
    await inRuntime(b, systemClock, async (runtime) => {
      for (let round = 0; round < 63; round++)
        await runtime.run([{ id: '1', name: 'write_file', args: { path: `f${round}.txt`, content: 'x' } }])
    })
    expect(unsyncedIn(b)).toBe(63)
    await inRuntime(b, systemClock, async (runtime) => {
      await runtime.run([{ id: '1', name: 'write_file', args: { path: 'last.txt', content: 'x' } }])
    })
    await inRuntime(b, systemClock, async (runtime) => void [...runtime.log()])
    expect(unsyncedIn(b)).toBe(0)
  })
})
