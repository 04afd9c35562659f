import { afterAll, describe, expect, it } from 'vitest'
import type { ToolCall } from '../../src/core/call.ts'
import type { Runtime } from '../../src/runtime/create-runtime.ts'
import { recordEndings } from '../harness/faults/endings.ts'
import type { RecordedEnding } from '../harness/faults/endings.ts'
import { readResult } from '../harness/faults/world/acknowledged.ts'
import { openWorld } from '../harness/faults/world/open-world.ts'
import { layFiles, SESSION } from '../harness/faults/world/script.ts'
import { putBack } from '../harness/faults/world/snapshot.ts'
import type { Stage } from '../harness/faults/world/stage.ts'
import { compareTrees, readTree } from '../harness/faults/world/tree.ts'
import type { Tree } from '../harness/faults/world/tree.ts'
import { makeWorld } from '../harness/faults/world/world.ts'

const world = makeWorld()
afterAll(world.remove)
world.save('empty')

const edit = (path: string, old: string, next: string) => ({
  name: 'edit_file',
  args: { path, old, new: next },
})

/** Edits of which most are staged on earlier ones: on one file, on two at once, and on one that is new. */
const CALLS: readonly ToolCall[] = [
  edit('a.txt', 'alpha', 'A'),
  edit('run.sh', 'one', 'two'),
  edit('a.txt', 'A', 'B'),
  { name: 'write_file', args: { path: 'new/one.txt', content: 'first\n' } },
  { name: 'apply_patch', args: { patch: 'LP1\nF a.txt\nR\nbeta\n.\nBETA\n.\nF log.txt\nB\nnext\n.\nEND' } },
  edit('new/one.txt', 'first', 'second'),
  edit('a.txt', 'B\n', 'C\n'),
].map((call, index) => ({ id: `c${index + 1}`, ...call }))

const act =
  (config: Readonly<Record<string, unknown>>): Stage['act'] =>
  async (_runtime, calls, tell) => {
    const runtime = await openWorld(world, 'once', config)
    await runtime.run(calls, {
      session: SESSION,
      onEvent: (event) => event.event === 'result' && tell(readResult(event.result)),
    })
    await runtime.close()
  }

/** What a process that ran the batch would leave at each of its steps. */
async function endingsOf(config: Readonly<Record<string, unknown>> = {}): Promise<readonly RecordedEnding[]> {
  world.restore('empty')
  layFiles(world.root)
  const runtime = await openWorld(world)
  const reads = ['a.txt', 'run.sh', 'log.txt'].map((path, at) => ({
    id: `r${at}`,
    name: 'read_file',
    args: { path },
  }))
  await runtime.run(reads, { session: SESSION })
  await runtime.close()
  world.save('read')
  return recordEndings(
    world,
    { name: 'a group', lay: async () => undefined, act: act(config), argv: [] },
    CALLS,
  )
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

/** What is wrong after a death: the files are neither as before the batch nor as after it, or the log disagrees. */
async function findFaults(
  { acknowledged, diedAt }: RecordedEnding,
  { before, after }: { readonly before: Tree; readonly after: Tree },
): Promise<readonly string[]> {
  return reopened(async (runtime) => {
    const now = readTree(world.root)
    const isBefore = compareTrees(before, now).length === 0
    const isAfter = compareTrees(after, now).length === 0
    const settled = [...runtime.log({ session: SESSION })].filter(
      ({ entry }) => entry.kind === 'settled' && entry.changes.length > 0,
    ).length
    const where = diedAt === null ? 'alive' : `${diedAt.name} ${diedAt.target}`
    const faults: string[] = []
    if (!isBefore && !isAfter) faults.push('some edits are in place and others are not')
    if (acknowledged.length > 0 && !isAfter) faults.push('an acknowledged edit is lost')
    if (settled !== (isAfter ? CALLS.length : 0)) faults.push(`${settled} edits are on record`)
    if (!(await runtime.verify()).ok) faults.push('the log does not verify')
    await runtime.recover({ session: SESSION, choice: 'resume' })
    const undone = isAfter ? await runtime.undo({ session: SESSION, turn: true }) : { ok: true }
    if (!undone.ok || compareTrees(before, readTree(world.root)).length > 0)
      faults.push('undo does not take all back')
    return faults.map((fault) => `${where}: ${fault}`)
  })
}

/** What the next command would leave if it died at each of its steps, after a death right after the commit. */
async function endingsOfNext(endings: readonly RecordedEnding[]): Promise<readonly RecordedEnding[]> {
  const committed = endings.find(({ diedAt }) => diedAt?.name === 'renameSync')
  if (committed === undefined) throw new Error('no file was put in place')
  putBack(world, committed.left)
  const next: Stage = {
    name: 'finishing',
    lay: async () => undefined,
    act: (runtime) => runtime.ready(),
    argv: [],
  }
  return recordEndings(world, next, [])
}

/** Lets the batch die at each of its steps. */
async function dieEverywhere(config: Readonly<Record<string, unknown>> = {}) {
  const endings = await endingsOf(config)
  const last = endings.at(-1)
  const after = readTree(world.root)
  world.restore('read')
  const before = readTree(world.root)
  const faults: string[] = []
  for (const ending of endings) {
    putBack(world, ending.left)
    faults.push(...(await findFaults(ending, { before, after })))
  }
  return { deaths: endings.length, told: last?.acknowledged.length ?? 0, faults }
}

describe('a process that dies while it commits edits together', () => {
  it('leaves all of them or none, whatever step it dies at', async () => {
    const { deaths, told, faults } = await dieEverywhere()
    expect(faults).toEqual([])
    expect({ told, isMany: deaths > 20 }).toEqual({ told: CALLS.length, isMany: true })
  })

  it('leaves all of them if the next command dies as well, whatever step it dies at', async () => {
    const endings = await endingsOf()
    const after = readTree(world.root)
    world.restore('read')
    const before = readTree(world.root)
    const faults: string[] = []
    const again = await endingsOfNext(endings)
    for (const ending of again) {
      putBack(world, ending.left)
      faults.push(...(await findFaults(ending, { before, after })))
    }
    expect(faults).toEqual([])
    expect(again.length).toBeGreaterThan(10)
  })

  it('is found out if it commits them one by one', async () => {
    const { faults } = await dieEverywhere({ 'tools.edit.group': false })
    expect(faults.join('\n')).toContain('some edits are in place and others are not')
  })
})
