import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { FileChange } from '../../../src/journal/entries/entry.ts'
import { liveUntil } from '../../harness/faults/mortal.ts'
import { layerBench, reverseAll } from './layer-bench.ts'
import type { LayerBench, LayerOf, Photo } from './layer-bench.ts'

const FILES = {
  'keep.txt': 'kept',
  'swap/x/f': 'x',
  'swap/y/f': 'y',
  'gone/one': '1',
  'gone/deep/two': '2',
  'turn/in': 'in',
  file: 'a file',
  same: 'same',
  link: '->file',
}

/** A command that does a bit of everything. */
function work(folder: string): void {
  const at = (path: string): string => join(folder, path)
  fs.writeFileSync(at('keep.txt'), 'changed')
  fs.renameSync(at('swap/x'), at('swap/t'))
  fs.renameSync(at('swap/y'), at('swap/x'))
  fs.renameSync(at('swap/t'), at('swap/y'))
  fs.rmSync(at('gone'), { recursive: true })
  fs.rmSync(at('turn'), { recursive: true })
  fs.writeFileSync(at('turn'), 'now a file')
  fs.rmSync(at('file'))
  fs.mkdirSync(at('file/sub'), { recursive: true })
  fs.writeFileSync(at('file/sub/new'), 'new')
  fs.chmodSync(at('file/sub'), 0o555)
  fs.chmodSync(at('same'), 0o755)
  fs.rmSync(at('link'))
  fs.symlinkSync('same', at('link'))
  fs.chmodSync(at('swap'), 0o700)
}

interface World {
  readonly bench: LayerBench
  readonly layer: LayerOf
  readonly original: Photo
}

function makeWorld(): World {
  const bench = layerBench(FILES)
  return { bench, original: bench.photo(), layer: bench.command('call', work) }
}

type Lander = (bench: LayerBench, changes: readonly FileChange[]) => unknown

const real: Lander = (bench, changes) => {
  const workspace = bench.open()
  const landing = workspace.land('call', changes, () => null)
  workspace.close()
  return landing
}

/** Takes the old contents away before it knows where the new ones are, and keeps none of them. */
const naive: Lander = ({ root, place }, changes) => {
  for (const { path, before, after } of changes) {
    if (before !== null) fs.rmSync(join(root, path), { recursive: true, force: true })
    if (after?.kind === 'folder') fs.mkdirSync(join(root, path), { recursive: true })
    if (after?.held !== undefined && fs.existsSync(join(place, after.held)))
      fs.renameSync(join(place, after.held), join(root, path))
  }
  return { is: 'landed' }
}

/** Names that have a file or link before and after: they are never missing. */
function lastingNames({ layer: { changes }, bench: { root } }: World): readonly string[] {
  return changes
    .filter(({ before, after }) =>
      [before, after].every((state) => state !== null && state.kind !== 'folder'),
    )
    .map(({ path }) => join(root, path))
}

interface Found {
  readonly deaths: number
  readonly broken: readonly string[]
}

/** Dies at each step in turn, goes on in either direction, and compares. */
async function dieEverywhere(
  lander: Lander,
  prepare: (world: World) => readonly FileChange[],
): Promise<Found> {
  const broken: string[] = []
  for (let step = 1; ; step++) {
    for (const goesOn of [true, false]) {
      const world = makeWorld()
      const { bench, layer, original } = world
      const changes = prepare(world)
      const [start, end] = changes === layer.changes ? [original, layer.expected] : [layer.expected, original]
      const lasting = lastingNames(world)
      const { diedAt } = await liveUntil(
        (_step, number) => {
          for (const path of lasting)
            if (fs.lstatSync(path, { throwIfNoEntry: false }) === undefined)
              broken.push(`${step}: ${path} is missing`)
          return number === step
        },
        () => undefined,
        async () => void lander(bench, changes),
      )
      const where = `${goesOn ? 'on' : 'back'} after ${diedAt?.name ?? 'the end'} ${step}`
      const then = goesOn ? changes : reverseAll(changes)
      compare(where, lander(bench, then), bench.photo(), goesOn ? end : start, broken)
      compare(
        `${where}, and back`,
        lander(bench, reverseAll(then)),
        bench.photo(),
        goesOn ? start : end,
        broken,
      )
      if (diedAt === null) return { deaths: step - 1, broken }
    }
  }
}

function compare(where: string, landing: unknown, found: Photo, wanted: Photo, broken: string[]): void {
  const paths = [...new Set([...Object.keys(found), ...Object.keys(wanted)])]
  const differing = paths.filter((path) => found[path] !== wanted[path])
  if (differing.length > 0) broken.push(`${where}: ${JSON.stringify(landing)} ${differing.join(', ')}`)
}

describe('a process that dies while a layer lands', () => {
  it('leaves at every step what the next one finishes or takes back whole, and no name is ever missing', async () => {
    const { deaths, broken } = await dieEverywhere(real, ({ layer }) => layer.changes)
    expect(broken).toEqual([])
    expect(deaths).toBeGreaterThan(25)
  })

  it('does so also while the landing is undone', async () => {
    const { deaths, broken } = await dieEverywhere(real, ({ bench, layer }) => {
      real(bench, layer.changes)
      return reverseAll(layer.changes)
    })
    expect(broken).toEqual([])
    expect(deaths).toBeGreaterThan(25)
  })

  it('would be found out if it removed before it moved', async () => {
    const { broken } = await dieEverywhere(naive, ({ layer }) => layer.changes)
    expect(broken.length).toBeGreaterThan(0)
  })
})
