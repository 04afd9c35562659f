import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  findLayerPlaces,
  layerPlaces,
  noteKnownPlaces,
  placeBeside,
  readKnownPlaces,
  sweptPlaces,
} from '../../../src/host/layer/layer-places.ts'
import { discardLayer, giveUpLayer, openLayer } from '../../../src/host/layer/open-layer.ts'
import { sweepLayers, sweepLeft } from '../../../src/host/layer/sweep-layers.ts'
import type { LayerStatus } from '../../../src/host/layer/sweep-layers.ts'
import { FASTEST, makeScratch } from '../../harness/scratch.ts'

describe('the folder for layers', () => {
  it('is the state folder if that is on the file system of the root, and only its owner can enter it', () => {
    const scratch = makeScratch()
    const root = scratch.folder('root')
    const facts = { root, stateDir: scratch.folder('state'), layerDir: '', roots: [root] }
    const place = scratch.at('state/layers')
    expect(findLayerPlaces(facts)).toEqual([{ path: place, isNear: true }])
    expect(lstatSync(place).mode & 0o777).toBe(0o700)
  })

  it('is the one that a person chose, or one beside the root, where the state folder is elsewhere', () => {
    const [scratch, other] = [makeScratch(), makeScratch(FASTEST)]
    const root = scratch.folder('root')
    const facts = { root, stateDir: other.folder('state'), layerDir: scratch.folder('mine'), roots: [root] }
    expect(layerPlaces(facts)).toHaveLength(3)
    const isElsewhere = lstatSync(other.path).dev !== lstatSync(scratch.path).dev
    if (!isElsewhere) return
    const near = (path: string) => [{ path, isNear: true }]
    expect(findLayerPlaces(facts)).toEqual(near(scratch.at('mine/tongs-layers')))
    expect(findLayerPlaces({ ...facts, layerDir: '' })).toEqual(near(placeBeside(root)))
    expect(existsSync(other.at('state/layers'))).toBe(false)
  })

  it('is never in a root, nor a link; then the state folder on another file system has to do', () => {
    const [scratch, other] = [makeScratch(), makeScratch(FASTEST)]
    const root = scratch.folder('outer/root')
    const stateDir = other.folder('state')
    if (lstatSync(other.path).dev === lstatSync(scratch.path).dev) return
    const roots = [root, scratch.at('outer')]
    const far = [{ path: join(stateDir, 'layers'), isNear: false }]
    expect(findLayerPlaces({ root, stateDir, layerDir: '', roots })).toEqual(far)
    symlinkSync(scratch.folder('elsewhere'), placeBeside(root))
    expect(findLayerPlaces({ root, stateDir, layerDir: '', roots: [root] })).toEqual(far)
  })

  it('is never where other users could put another one in its place', () => {
    const [scratch, other] = [makeScratch(), makeScratch(FASTEST)]
    const root = scratch.folder('shared/root')
    const facts = { root, stateDir: other.folder('state'), layerDir: '', roots: [root] }
    if (lstatSync(other.path).dev === lstatSync(scratch.path).dev) return
    expect(findLayerPlaces(facts)).toEqual([{ path: placeBeside(root), isNear: true }])
    rmdirSync(placeBeside(root))
    chmodSync(scratch.at('shared'), 0o777)
    expect(findLayerPlaces(facts)).toEqual([{ path: other.at('state/layers'), isNear: false }])
    expect(existsSync(placeBeside(root))).toBe(false)
    chmodSync(other.path, 0o777)
    expect(findLayerPlaces(facts)).toEqual([])
  })
})

const STATUS: Readonly<Record<string, LayerStatus>> = { left: 'left', waiting: 'kept' }

describe('layers in their folder', () => {
  it('look like the root, begin after what changed before, and are discarded whole without following links', async () => {
    const scratch = makeScratch()
    const root = scratch.folder('root')
    const place = scratch.folder('place')
    const outside = scratch.file('outside/kept')
    const changed = scratch.file('root/changed')
    const layer = openLayer({ execution: 'e1', roots: [root], places: [place], rung: 'overlay' })
    expect(layer.startedMs).toBeGreaterThan(lstatSync(changed).ctimeMs)
    scratch.file('root/later')
    expect(lstatSync(scratch.at('root/later')).ctimeMs).toBeGreaterThanOrEqual(layer.startedMs)
    const upper = join(layer.parts[0]?.folder ?? '', 'upper')
    expect(lstatSync(upper).mode).toBe(lstatSync(root).mode)
    symlinkSync(scratch.at('outside'), join(upper, 'link'))
    mkdirSync(join(upper, 'closed'), { mode: 0 })
    await discardLayer(layer)
    expect(readdirSync(place)).toEqual([])
    expect(existsSync(outside)).toBe(true)
  })

  it('leave nothing behind that could not be made whole', () => {
    const scratch = makeScratch()
    const root = scratch.folder('root')
    const places = [scratch.folder('place'), scratch.folder('other')]
    mkdirSync(join(scratch.at('other'), 'e1', 'taken'), { recursive: true })
    const open = (execution: string, roots: readonly string[]) => () =>
      openLayer({ execution, roots, places, rung: 'overlay' })
    expect(open('e1', [root, root])).toThrow('e1')
    expect(open('e2', [root, scratch.at('none')])).toThrow('ENOENT')
    expect(readdirSync(scratch.at('place'))).toEqual([])
    expect(readdirSync(scratch.at('other'))).toEqual(['e1'])
  })

  it('are swept when their process has ended, unless they are kept or may be those of another journal', async () => {
    const scratch = makeScratch()
    const root = scratch.folder('root')
    const place = scratch.folder('place')
    const code = `
      const { openLayer } = await import(${JSON.stringify(join(import.meta.dirname, '../../../src/host/layer/open-layer.ts'))})
      for (const execution of ['left', 'others', 'waiting'])
        openLayer({ execution, roots: [${JSON.stringify(root)}], places: [${JSON.stringify(place)}], rung: 'overlay' })`
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'inherit' })
    expect(await new Promise((done) => child.once('exit', done))).toBe(0)
    openLayer({ execution: 'running', roots: [root], places: [place], rung: 'overlay' })
    writeFileSync(join(place, 'note'), 'not a layer')
    const statusOf = (execution: string) => STATUS[execution] ?? 'unknown'
    await sweepLayers(place, { statusOf, isShared: true })
    expect(readdirSync(place).toSorted()).toEqual(['note', 'others', 'running', 'waiting'])
    await sweepLayers(place, { statusOf, isShared: false })
    expect(readdirSync(place).toSorted()).toEqual(['note', 'running', 'waiting'])
  })
})

describe('layers that a process gave up while it runs', () => {
  it('are swept as if it had ended, and those that it uses stay', async () => {
    const scratch = makeScratch()
    const root = scratch.folder('root')
    const place = scratch.folder('place')
    const open = (execution: string) =>
      openLayer({ execution, roots: [root], places: [place], rung: 'overlay' })
    for (const execution of ['left', 'others', 'waiting']) giveUpLayer(open(execution))
    open('running')
    const statusOf = (execution: string) =>
      STATUS[execution] ?? (execution === 'running' ? 'left' : 'unknown')
    await sweepLeft(place, { statusOf, isShared: true })
    expect(readdirSync(place).toSorted()).toEqual(['others', 'running', 'waiting'])
    await sweepLayers(place, { statusOf, isShared: false })
    expect(readdirSync(place).toSorted()).toEqual(['running', 'waiting'])
  })
})

describe('the places that are noted', () => {
  it('are all known, though several processes note theirs at once', async () => {
    const scratch = makeScratch()
    const stateDir = scratch.folder('state')
    const child = join(import.meta.dirname, 'note-places-process.ts')
    const names = ['a', 'b', 'c', 'd']
    const children = names.map((name) =>
      spawn(process.execPath, [child, stateDir, name], { stdio: ['pipe', 'pipe', 'inherit'] }),
    )
    await Promise.all(children.map(({ stdout }) => once(stdout, 'data')))
    const ends = children.map((one) => once(one, 'exit'))
    for (const { stdin } of children) stdin.end()
    expect((await Promise.all(ends)).map(([code]) => code as unknown)).toEqual([0, 0, 0, 0])
    const all = names.flatMap((name) => Array.from({ length: 20 }, (_, at) => `/${name}/${at}`))
    expect(readKnownPlaces(stateDir).toSorted()).toEqual(all.toSorted())
  })

  it('include those that earlier versions noted, and none in the state folder', () => {
    const scratch = makeScratch()
    const stateDir = scratch.folder('state')
    writeFileSync(join(stateDir, 'layer-places'), '["/earlier"]')
    noteKnownPlaces(stateDir, [join(stateDir, 'layers'), '/now'])
    noteKnownPlaces(stateDir, ['/now'])
    expect(readKnownPlaces(stateDir)).toEqual(['/earlier', '/now'])
  })

  it('are swept with that of the state folder, but for those that others could exchange or that are links by now', () => {
    const scratch = makeScratch()
    const stateDir = scratch.folder('state')
    const places = ['good', 'open', 'link'].map((name) => scratch.folder(`${name}/layers`))
    noteKnownPlaces(stateDir, places)
    noteKnownPlaces(stateDir, [scratch.at('gone')])
    mkdirSync(join(stateDir, 'layers'))
    chmodSync(scratch.at('open'), 0o777)
    rmdirSync(scratch.at('link/layers'))
    symlinkSync(scratch.at('good/layers'), scratch.at('link/layers'))
    expect(sweptPlaces(stateDir)).toEqual([join(stateDir, 'layers'), scratch.at('good/layers')])
  })
})
