import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { FileChange } from '../../../src/journal/entries/entry.ts'
import { openStore } from '../../../src/journal/open-store.ts'
import type { Unsynced } from '../../../src/journal/log.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../../src/runtime/runtime.ts'
import { batchOf, execution, payloadsOf, settledOf } from '../../journal/sample-entries.ts'
import { layerBench, reverseAll } from '../../workspace/landing/layer-bench.ts'
import type { LayerBench } from '../../workspace/landing/layer-bench.ts'

const FILES = { 'a/one': 'one', 'a/two': 'two', b: 'a file', link: '->b' }
const SESSION = 's'

/** What the commands of some calls do, one after the other. */
const WORKS: readonly ((at: (path: string) => string) => void)[] = [
  (at) => (fs.renameSync(at('a'), at('z')), fs.writeFileSync(at('b'), 'B')),
  (at) => (fs.writeFileSync(at('z/one'), 'more'), fs.rmSync(at('link')), fs.mkdirSync(at('link'))),
  (at) => (fs.rmSync(at('z'), { recursive: true }), fs.chmodSync(at('b'), 0o755)),
]

/** Records a call as committed, without landing it; `isOpen` leaves its batch unfinished. */
async function record(
  b: LayerBench,
  number: number,
  changes: readonly FileChange[],
  isOpen = false,
): Promise<void> {
  const store = openStore({ stateDir: b.stateDir, durability: 'full', clock: systemClock })
  const log = await store.open({ root: b.root, name: SESSION })
  const ended = { id: execution(number), state: 'COMPLETED', duration_ms: 1 }
  const result = { id: `c${number}`, name: 'run_shell', ok: true, result: {}, content: '', execution: ended }
  const settled = settledOf(`b${number}`, number, changes)
  log.append({
    entries: [batchOf(`b${number}`, isOpen ? [number, number + 50] : [number]), settled],
    payloads: new Map<string, string | Uint8Array>([
      ...payloadsOf(`args ${number}`, `args ${number + 50}`),
      [settled.result, JSON.stringify(result)] as const,
    ]),
    reliance: 'durable',
  })
  log.close()
  store.close()
}

async function open(b: LayerBench): Promise<Runtime> {
  const runtime = await createRuntime({ root: b.root, stateDir: b.stateDir, durability: 'full' })
  onTestFinished(() => runtime.close())
  await runtime.ready()
  return runtime
}

/** Three commands, recorded and left to the next process, one after the other. */
async function threeCommands() {
  const b = layerBench(FILES)
  const photos = [b.photo()]
  const changes: (readonly FileChange[])[] = []
  for (const [index, work] of WORKS.entries()) {
    const layer = b.command(execution(index + 1), (folder) => work((path) => join(folder, path)))
    await record(b, index + 1, layer.changes)
    await (await open(b)).close()
    expect(b.photo()).toEqual(layer.expected)
    photos.push(layer.expected)
    changes.push(layer.changes)
  }
  return { b, photos, changes }
}

describe('commands whose changes lay on layers', () => {
  it('are landed by the next process, and undone and redone together and one by one', async () => {
    const { b, photos } = await threeCommands()
    const runtime = await open(b)
    const undone = await runtime.undo({ session: SESSION, last: 3 })
    expect(undone).toMatchObject({ ok: true, message: null })
    expect(undone.files.map(({ path }) => path).toSorted()).toEqual(['a/one', 'a/two', 'b', 'link'])
    expect(b.photo()).toEqual(photos[0])
    expect(await runtime.redo({ session: SESSION })).toMatchObject({ ok: true })
    expect(b.photo()).toEqual(photos[3])
    for (const wanted of [photos[2], photos[1], photos[0]]) {
      expect(await runtime.undo({ session: SESSION })).toMatchObject({ ok: true })
      expect(b.photo()).toEqual(wanted)
    }
    for (const wanted of [photos[1], photos[2], photos[3]]) {
      expect(await runtime.redo({ session: SESSION })).toMatchObject({ ok: true })
      expect(b.photo()).toEqual(wanted)
    }
  })

  it('are forgotten with their contents, and undoing one says so and changes nothing', async () => {
    const { b, photos } = await threeCommands()
    const runtime = await open(b)
    expect(fs.readdirSync(b.place).toSorted()).toEqual([1, 2, 3].map(execution))
    expect(await runtime.forget({ call: execution(3) })).toMatchObject({ ok: true, files: 1 })
    expect(fs.readdirSync(b.place).toSorted()).toEqual([1, 2].map(execution))
    const undone = await runtime.undo({ session: SESSION })
    expect(undone).toMatchObject({ ok: false, files: [] })
    expect(undone.message).toContain('that was set aside is gone, so it cannot be restored')
    expect(b.photo()).toEqual(photos[3])
    expect(await runtime.forget({ session: SESSION })).toMatchObject({ ok: true, files: 2 })
    expect(fs.readdirSync(b.place)).toEqual([])
  })

  it('are forgotten by age, unless one is undone or redone since, or still in use', async () => {
    const { b } = await threeCommands()
    const layer = b.command(execution(4), (folder) => fs.writeFileSync(join(folder, 'late'), 'late'))
    await record(b, 4, layer.changes, true)
    const runtime = await open(b)
    await runtime.forget({ olderThanDays: -1 })
    expect(fs.readdirSync(b.place)).toEqual([execution(4)])
  })

  it('are not landed over what somebody changed, but taken back when they are discarded', async () => {
    const b = layerBench(FILES)
    const original = b.photo()
    const layer = b.command(execution(1), (folder) => WORKS[0]?.((path) => join(folder, path)))
    await record(b, 1, layer.changes)
    fs.writeFileSync(join(b.root, 'b'), 'theirs')
    const theirs = b.photo()
    const runtime = await open(b)
    expect(b.photo()).toEqual(theirs)
    await runtime.recover({ session: SESSION, choice: 'discard' })
    expect(b.photo()).toEqual({ ...original, b: theirs['b'] })
  })
})

describe('what a power cut took of landed layers', () => {
  it('is found and put back, with the contents that undoing needs', async () => {
    const { b, photos, changes } = await threeCommands()
    const workspace = b.open()
    // The disk forgets the renames of the last two commands.
    for (const layer of changes.slice(1).toReversed()) workspace.land('cut', reverseAll(layer), () => null)
    expect(b.photo()).toEqual(photos[1])
    const now = Date.now() + 60_000
    const commits = changes.map((own, index): Unsynced => {
      const session = { root: b.root, name: SESSION }
      return {
        session,
        execution: execution(index + 1),
        changes: own,
        committedAt: now,
        landedAt: now,
        isOfEarlierBoot: true,
        isTimeCertain: true,
      }
    })
    const lost = workspace.findLost(commits, () => null)
    expect(new Set(lost.map((one) => one.execution))).toEqual(new Set([2, 3].map(execution)))
    for (const id of [2, 3].map(execution))
      expect(
        workspace.restoreLost(
          id,
          lost.filter((one) => one.execution === id),
          () => null,
        ),
      ).toEqual({ is: 'landed' })
    expect(b.photo()).toEqual(photos[3])
    expect(workspace.findLost(commits, () => null)).toEqual([])
    for (const [index, layer] of [...changes.entries()].toReversed()) {
      expect(workspace.land('undo', reverseAll(layer), () => null)).toEqual({ is: 'landed' })
      expect(b.photo()).toEqual(photos[index])
    }
    await workspace.sync(changes.flat())
    await workspace.syncHeld(changes.flat())
    workspace.close()
  })
})
