import fc from 'fast-check'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LayerChanges } from '../../../src/workspace/landing/checks/find-conflicts.ts'
import { describe, expect, it } from 'vitest'
import type { FileChange } from '../../../src/journal/entries/entry.ts'
import { joinChanges } from '../../../src/pipeline/commit/join-changes.ts'
import type { Workspace } from '../../../src/workspace/workspace.ts'
import { failureOf } from '../../harness/scratch.ts'
import { act, carryOut } from './layer-acts.ts'
import type { Act } from './layer-acts.ts'
import { layerBench, reverseAll } from './layer-bench.ts'
import type { LayerBench } from './layer-bench.ts'
import { roundsOf } from '../../harness/long-run.ts'

const FILES = {
  'keep.txt': 'kept',
  'a/one.txt': 'one',
  'a/two.txt': 'two',
  'a/deep/three.txt': 'three',
  b: 'a file',
  'c/': '',
  link: '->a/one.txt',
}
/** Later than any change of a test. */
const LATER = Date.now() + 3_600_000

let count = 0
/** Stages a layer as a call does. */
function prepareLayer(workspace: Workspace, execution: string, layer: LayerChanges): void {
  const transaction = workspace.begin({
    execution,
    session: { root: workspace.roots[0] ?? '', name: 'test' },
    ledger: () => null,
  })
  transaction.stageLayer({ ...layer, notes: [] })
  transaction.prepare()
  transaction.close()
}

function landWith(workspace: Workspace, changes: readonly FileChange[], b: LayerBench): unknown {
  return workspace.land(`undo${++count}`, changes, (digest) => b.payloads.get(digest) ?? null)
}

/** Lands a layer as the pipeline does. */
function commit(
  workspace: Workspace,
  execution: string,
  changes: readonly FileChange[],
  startedMs = LATER,
): unknown {
  prepareLayer(workspace, execution, { changes, startedMs })
  if (changes.length > 0) workspace.confirm(execution, [])
  return workspace.land(execution, changes, () => null)
}

const LANDED = { is: 'landed' }

describe('what a command did on a layer', () => {
  it.each<readonly [string, (at: (path: string) => string) => void]>([
    [
      'writes, changes and removes files',
      (at) => (
        fs.writeFileSync(at('new.txt'), 'n'),
        fs.writeFileSync(at('b'), 'B'),
        fs.rmSync(at('keep.txt'))
      ),
    ],
    ['removes a whole folder', (at) => fs.rmSync(at('a'), { recursive: true })],
    ['renames a folder', (at) => fs.renameSync(at('a'), at('z'))],
    [
      'swaps two folders',
      (at) => (
        fs.renameSync(at('a'), at('t')),
        fs.renameSync(at('c'), at('a')),
        fs.renameSync(at('t'), at('c'))
      ),
    ],
    [
      'makes a folder of a file',
      (at) => (fs.rmSync(at('b')), fs.mkdirSync(at('b')), fs.writeFileSync(at('b/in'), 'in')),
    ],
    [
      'makes a folder of a link',
      (at) => (fs.rmSync(at('link')), fs.mkdirSync(at('link')), fs.writeFileSync(at('link/in'), 'in')),
    ],
    [
      'makes a file of a folder',
      (at) => (fs.rmSync(at('a'), { recursive: true }), fs.writeFileSync(at('a'), 'A')),
    ],
    [
      'makes a link of a folder',
      (at) => (fs.rmSync(at('a'), { recursive: true }), fs.symlinkSync('c', at('a'))),
    ],
    ['changes a link', (at) => (fs.rmSync(at('link')), fs.symlinkSync('b', at('link')))],
    [
      'changes only modes',
      (at) => (fs.chmodSync(at('b'), 0o755), fs.chmodSync(at('a'), 0o700), fs.chmodSync(at('c'), 0o555)),
    ],
    [
      'fills a folder and closes it',
      (at) => (fs.mkdirSync(at('s')), fs.writeFileSync(at('s/x'), 'x'), fs.chmodSync(at('s'), 0o555)),
    ],
    ['makes empty folders', (at) => fs.mkdirSync(at('e/f/g'), { recursive: true })],
  ])('lands, is undone and redone to the byte when it %s', async (_what, work) => {
    const b = layerBench(FILES)
    const original = b.photo()
    const { changes, expected } = b.command('call', (folder) => work((path) => join(folder, path)))
    expect(changes.length).toBeGreaterThan(0)
    const workspace = b.open()
    expect(commit(workspace, 'call', changes)).toEqual(LANDED)
    expect(b.photo()).toEqual(expected)
    for (let round = 0; round < 2; round++) {
      const undo = reverseAll(changes)
      expect(await workspace.findDrift(undo)).toEqual([])
      expect(await workspace.findObstacle(undo)).toBeNull()
      expect(await workspace.findMissing(undo, () => false)).toBeNull()
      expect(landWith(workspace, undo, b)).toEqual(LANDED)
      expect(b.photo()).toEqual(original)
      expect(await workspace.findDrift(changes)).toEqual([])
      expect(landWith(workspace, changes, b)).toEqual(LANDED)
      expect(b.photo()).toEqual(expected)
    }
    workspace.close()
  })

  it('lands, is undone and redone whatever several commands did, each alone and all at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(act, { maxLength: 12 }),
        fc.array(fc.array(act, { maxLength: 8 }), { minLength: 1, maxLength: 4 }),
        async (first, calls) => {
          const b = layerBench({})
          carryOut(b.root, first)
          const workspace = b.open()
          const photos = [b.photo()]
          const layers = calls.map((acts, index) => {
            const layer = b.command(`call${index}`, (folder) => carryOut(folder, acts))
            expect(commit(workspace, `call${index}`, layer.changes)).toEqual(LANDED)
            expect(b.photo()).toEqual(layer.expected)
            photos.push(layer.expected)
            return layer.changes
          })
          const steps = layers.toReversed().flatMap(reverseAll)
          const { changes, between } = joinChanges(steps)
          expect(between).toEqual([])
          for (const [wanted, way] of [
            [photos[0], changes],
            [photos.at(-1), reverseAll(changes)],
          ] as const) {
            expect(await workspace.findDrift(way)).toEqual([])
            expect(await workspace.findMissing(way, () => false)).toBeNull()
            expect(landWith(workspace, way, b)).toEqual(LANDED)
            expect(b.photo()).toEqual(wanted)
          }
          for (const [index, layer] of [...layers.entries()].toReversed()) {
            expect(landWith(workspace, reverseAll(layer), b)).toEqual(LANDED)
            expect(b.photo()).toEqual(photos[index])
          }
          workspace.close()
        },
      ),
      { numRuns: Number(process.env['TRIES'] ?? roundsOf(8, 40)) },
    )
  })
})

describe('files that are alike', () => {
  const moveAndReplace: readonly (readonly Act[])[] = [
    [{ is: 'move', path: 'a', to: 'b' }],
    [{ is: 'write', path: 'a', content: 'same', mode: 0o644 }],
  ]

  it('get their own times back when one that was moved is undone together with the new one in its place', async () => {
    const b = layerBench({ a: 'same' })
    const workspace = b.open()
    const original = b.photo()
    const layers = moveAndReplace.map((acts, index) => {
      const { changes } = b.command(`call${index}`, (folder) => carryOut(folder, acts))
      expect(commit(workspace, `call${index}`, changes)).toEqual(LANDED)
      return changes
    })
    const landed = b.photo()
    const { changes } = joinChanges(layers.toReversed().flatMap(reverseAll))
    expect(await workspace.findDrift(changes)).toEqual([])
    expect(landWith(workspace, changes, b)).toEqual(LANDED)
    expect(b.photo()).toEqual(original)
    expect(landWith(workspace, reverseAll(changes), b)).toEqual(LANDED)
    expect(b.photo()).toEqual(landed)
    workspace.close()
  })

  it.each(['a', 'b'])(
    'or not: two that change places go on where it stopped when only %s was out of the way',
    (first) => {
      const b = layerBench({ a: 'one', b: 'two' })
      const workspace = b.open()
      const { changes, expected } = b.command('call', (folder) =>
        carryOut(folder, [
          { is: 'move', path: 'a', to: 'c' },
          { is: 'move', path: 'b', to: 'a' },
          { is: 'move', path: 'c', to: 'b' },
        ]),
      )
      prepareLayer(workspace, 'call', { changes, startedMs: LATER })
      workspace.confirm('call', [])
      // As it is left by a process that dies where no file can have two names.
      const place = join(b.place, changes.find(({ path }) => path === first)?.before?.held ?? '')
      fs.mkdirSync(dirname(place), { recursive: true })
      fs.renameSync(join(b.root, first), place)
      expect(workspace.land('call', changes, () => null)).toEqual(LANDED)
      expect(b.photo()).toEqual(expected)
      workspace.close()
    },
  )
})

describe('a change of somebody else since the layer was made', () => {
  it.each<readonly [string, string, (at: (path: string) => string) => void]>([
    ['changed a file', 'b', (at) => fs.writeFileSync(at('b'), 'theirs')],
    ['removed a file', 'b', (at) => fs.rmSync(at('b'))],
    [
      'made a folder of the same name',
      'new',
      (at) => (fs.mkdirSync(at('new')), fs.writeFileSync(at('new/x'), 'theirs')),
    ],
    ['put a file into a folder that goes', 'a/theirs', (at) => fs.writeFileSync(at('a/theirs'), 'theirs')],
    [
      'replaced a folder by a link',
      'a/one.txt',
      (at) => (fs.renameSync(at('a'), at('../away')), fs.symlinkSync('../away', at('a'))),
    ],
    ['changed a link', 'link', (at) => (fs.rmSync(at('link')), fs.symlinkSync('b', at('link')))],
    ['changed the mode of a folder', 'c', (at) => fs.chmodSync(at('c'), 0o711)],
  ])('is a conflict when they %s, and nothing lands', async (_what, path, work) => {
    const b = layerBench(FILES)
    const { changes } = b.command('call', (folder) => {
      for (const gone of ['a', 'link']) fs.rmSync(join(folder, gone), { recursive: true })
      fs.mkdirSync(join(folder, 'new'))
      fs.writeFileSync(join(folder, 'new/x'), 'x')
      fs.writeFileSync(join(folder, 'b'), 'B')
      fs.chmodSync(join(folder, 'c'), 0o700)
    })
    const workspace = b.open()
    const startedMs = clockOf(b)
    expect(workspace.findConflicts({ changes, startedMs: startedMs + 60_000 })).toEqual([])
    // What is known of a folder holds until the code that runs comes to its end, when others can have changed it.
    await nextTurn()
    work((name) => join(b.root, name))
    const theirs = b.photo()
    expect(workspace.findConflicts({ changes, startedMs })).toContain(path)
    expect(failureOf(() => commit(workspace, 'call', changes, startedMs))).toMatchObject({
      code: 'stale_file',
    })
    workspace.drop('call')
    expect(b.photo()).toEqual(theirs)
    workspace.close()
  })

  it('is a conflict also in the same tick of the clock, and if another call is about to change the file', () => {
    const b = layerBench(FILES)
    const { changes } = b.command('call', (folder) => fs.writeFileSync(join(folder, 'b'), 'B'))
    const workspace = b.open()
    const { ctimeMs } = fs.statSync(join(b.root, 'b'))
    expect(workspace.findConflicts({ changes, startedMs: ctimeMs })).toEqual(['b'])
    expect(workspace.findConflicts({ changes, startedMs: ctimeMs + 1 })).toEqual([])
    prepareLayer(workspace, 'call', { changes, startedMs: LATER })
    expect(failureOf(() => workspace.confirm('call', changes)).details).toMatchObject({ file: 'b' })
    workspace.confirm('call', [])
    prepareLayer(workspace, 'other', { changes, startedMs: LATER })
    expect(failureOf(() => workspace.confirm('other', [])).details).toMatchObject({ file: 'b' })
    workspace.close()
  })
})

/** The time by the clock of the file system. */
function clockOf({ place }: LayerBench): number {
  const path = join(place, 'clock')
  fs.writeFileSync(path, '')
  const { ctimeMs } = fs.statSync(path)
  fs.rmSync(path)
  return ctimeMs
}

describe('drift after a landing', () => {
  it.each<readonly [string, string, (at: (path: string) => string) => void]>([
    ['content', 'b', (at) => fs.writeFileSync(at('b'), 'theirs')],
    ['a file that is gone', 'b', (at) => fs.rmSync(at('b'))],
    ['a file that came back', 'keep.txt', (at) => fs.writeFileSync(at('keep.txt'), 'theirs')],
    [
      'a link that points elsewhere',
      'link',
      (at) => (fs.rmSync(at('link')), fs.symlinkSync('theirs', at('link'))),
    ],
    [
      'the mode of a file of which only that changed',
      'a/one.txt',
      (at) => fs.chmodSync(at('a/one.txt'), 0o600),
    ],
    ['the mode of a folder', 'c', (at) => fs.chmodSync(at('c'), 0o711)],
    ['a folder in place of a file', 'b', (at) => (fs.rmSync(at('b')), fs.mkdirSync(at('b')))],
    ['a folder in place of a link', 'link', (at) => (fs.rmSync(at('link')), fs.mkdirSync(at('link')))],
  ])('is found: %s', async (_what, path, work) => {
    const b = layerBench(FILES)
    const { changes } = b.command('call', (folder) => {
      fs.rmSync(join(folder, 'keep.txt'))
      fs.writeFileSync(join(folder, 'b'), 'B')
      fs.rmSync(join(folder, 'link'))
      fs.symlinkSync('b', join(folder, 'link'))
      fs.chmodSync(join(folder, 'a/one.txt'), 0o755)
      fs.chmodSync(join(folder, 'c'), 0o700)
    })
    const workspace = b.open()
    commit(workspace, 'call', changes)
    work((name) => join(b.root, name))
    const theirs = b.photo()
    expect(await workspace.findDrift(reverseAll(changes))).toMatchObject([{ path }])
    expect(landWith(workspace, reverseAll(changes), b)).toEqual({ is: 'drifted', files: [path] })
    expect(b.photo()).toEqual(theirs)
    workspace.close()
  })

  it('leaves a folder in which somebody put something, and takes back the rest', async () => {
    const b = layerBench(FILES)
    const { changes } = b.command('call', (folder) => {
      fs.mkdirSync(join(folder, 'n'))
      fs.writeFileSync(join(folder, 'n/ours'), 'ours')
    })
    const workspace = b.open()
    commit(workspace, 'call', changes)
    fs.writeFileSync(join(b.root, 'n/theirs'), 'theirs')
    expect(await workspace.findDrift(reverseAll(changes))).toEqual([])
    expect(landWith(workspace, reverseAll(changes), b)).toEqual(LANDED)
    expect(fs.readdirSync(join(b.root, 'n'))).toEqual(['theirs'])
    expect(await workspace.findDrift(changes)).toEqual([])
    expect(landWith(workspace, changes, b)).toEqual(LANDED)
    expect(fs.readdirSync(join(b.root, 'n')).toSorted()).toEqual(['ours', 'theirs'])
    workspace.close()
  })

  it('names what somebody put into a folder that is to become a file again', () => {
    const b = layerBench(FILES)
    const { changes } = b.command(
      'call',
      (folder) => (fs.rmSync(join(folder, 'b')), fs.mkdirSync(join(folder, 'b'))),
    )
    const workspace = b.open()
    commit(workspace, 'call', changes)
    fs.writeFileSync(join(b.root, 'b/theirs'), 'theirs')
    expect(landWith(workspace, reverseAll(changes), b)).toEqual({ is: 'drifted', files: ['b/theirs'] })
    workspace.close()
  })
})

describe('contents on a layer', () => {
  it('are missed before anything is touched, if they were erased', async () => {
    const b = layerBench(FILES)
    const { changes } = b.command(
      'call',
      (folder) => (
        fs.rmSync(join(folder, 'a'), { recursive: true }),
        fs.writeFileSync(join(folder, 'b'), 'B')
      ),
    )
    const workspace = b.open()
    commit(workspace, 'call', changes)
    fs.rmSync(join(b.place, 'call'), { recursive: true })
    const landed = b.photo()
    expect((await workspace.findMissing(reverseAll(changes), () => false))?.path).toBe('a/deep/three.txt')
    expect(landWith(workspace, reverseAll(changes), b)).toMatchObject({ is: 'failed', isLasting: true })
    expect(b.photo()).toEqual(landed)
    workspace.close()
  })

  it('of thousands of files land and are undone, and every file is reported', () => {
    const b = layerBench(FILES)
    const original = b.photo()
    const { changes, expected } = b.command('call', (folder) => {
      for (let index = 0; index < 5000; index++) {
        const at = join(folder, `many/${index % 50}`)
        fs.mkdirSync(at, { recursive: true })
        fs.writeFileSync(join(at, `${index}.txt`), `${index}`)
      }
    })
    const workspace = b.open()
    prepareLayer(workspace, 'call', { changes, startedMs: LATER })
    workspace.confirm('call', [])
    const done: number[] = []
    const onProgress = (at: number, total: number): void => void done.push(at / total)
    expect(workspace.land('call', changes, () => null, { onProgress })).toEqual(LANDED)
    expect(done.length).toBeGreaterThanOrEqual(5000)
    expect(b.photo()).toEqual(expected)
    expect(landWith(workspace, reverseAll(changes), b)).toEqual(LANDED)
    expect(b.photo()).toEqual(original)
    workspace.close()
  })
})
