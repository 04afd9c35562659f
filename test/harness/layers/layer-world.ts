import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import type { ApprovalRequest } from '../../../src/core/approval.ts'
import { layerPlaces, placeBeside } from '../../../src/host/layer/layer-places.ts'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { dying, run as runProcess, tongs } from '../faults/command.ts'
import { SESSION } from '../faults/world/script.ts'
import { makeWorld } from '../faults/world/world.ts'
import type { World } from '../faults/world/world.ts'
import { compareFiles, describeFiles, withoutTimes } from './describe-files.ts'
import { mountDisk } from './disk.ts'
import type { Disk } from './disk.ts'
import type { Files } from './describe-files.ts'
import { layWork, WIDE } from './work.ts'
import type { Work } from './work.ts'

/** A world in which one command works on a layer, with what its files look like before and after that. */
export interface LayerWorld {
  readonly world: World
  readonly work: Work
  readonly before: Files
  /** Without times, which are the command's own. */
  readonly after: Files
  /** Where everything lies, if it is a disk of its own. */
  readonly disk: Disk | null
}

/** Something that is done with the work of a command, to be interrupted at any moment. */
export interface LayerStage {
  readonly name: string
  readonly argv: readonly string[]
  /** Brings a world with nothing but its files to where the stage begins. */
  readonly lay: (runtime: Runtime, work: Work) => Promise<void>
  readonly approve?: 'later'
  /** A command that is killed in the middle of its work, which the stage has to finish. */
  readonly interrupted?: { readonly argv: readonly string[]; readonly at: (work: Work) => string }
  /** A copy of its beginning is as good as the beginning. Not where a landing waits: copied files look changed. */
  readonly isCopied: boolean
}

async function run(runtime: Runtime, { calls }: Work): Promise<void> {
  const [result] = await runtime.run(calls, { session: SESSION })
  if (result?.ok !== true && result?.error.code !== 'approval_required')
    throw new Error(`the command failed: ${result?.content}`)
}

/** Every stage of the life of a layer. */
export const LAYER_STAGES: readonly LayerStage[] = [
  { name: 'run', argv: ['batch', '--yes'], lay: async () => undefined, isCopied: true },
  { name: 'ask', argv: ['batch', '--no-input'], lay: async () => undefined, isCopied: true },
  { name: 'approve', argv: ['approve', 'all'], lay: run, approve: 'later', isCopied: false },
  { name: 'deny', argv: ['deny', 'all'], lay: run, approve: 'later', isCopied: false },
  { name: 'undo', argv: ['undo', '--yes'], lay: run, isCopied: true },
  {
    name: 'redo',
    argv: ['redo', '--yes'],
    lay: async (runtime, work) => {
      await run(runtime, work)
      const { ok, message } = await runtime.undo({ session: SESSION })
      if (!ok) throw new Error(`it cannot be undone: ${message}`)
    },
    isCopied: true,
  },
  // Some files are in place, and some are back.
  {
    name: 'recover',
    argv: ['recover'],
    lay: async () => undefined,
    interrupted: { argv: ['batch', '--yes'], at: ({ midLanding }) => midLanding },
    isCopied: false,
  },
  {
    name: 'recover undo',
    argv: ['recover'],
    lay: run,
    interrupted: { argv: ['undo', '--yes'], at: ({ midUndoing }) => midUndoing },
    isCopied: false,
  },
]

/** Whether somebody who reads a question lets it land: a command that broke off did not do what it was asked for. */
export function isWanted({ note }: Pick<ApprovalRequest, 'note'>): boolean {
  return note?.includes('only a part of its work') !== true
}

/** Opens the world for somebody who says yes to whatever is whole, or who answers later. */
export async function openLayerWorld(
  { root, stateDir }: World,
  approve: 'once' | 'later' = 'once',
): Promise<Runtime> {
  return createRuntime({
    root,
    stateDir,
    approve: (requests) =>
      approve === 'later' ? 'later' : requests.map((request) => (isWanted(request) ? 'once' : 'deny')),
  })
}

/** Makes a world and learns from an undisturbed run what the command leaves. */
export async function makeLayerWorld(
  work: Work = WIDE,
  place: 'folder' | 'disk' = 'folder',
): Promise<LayerWorld> {
  const { disk, ...world } = place === 'disk' ? makeDiskWorld() : { disk: null, ...makeWorld() }
  layWork(world.root, work)
  copyWorld(world, 'files')
  const before = describeFiles(world.root)
  await inLayerWorld(world, undefined, (runtime) => run(runtime, work))
  const after = describeFiles(world.root)
  const faults = compareFiles(withoutTimes(workPlainly(world, work)), withoutTimes(after))
  if (faults.length > 0) throw new Error(`the command does something else on a layer: ${faults.join()}`)
  return { world, work, before, after, disk }
}

function makeDiskWorld(): World & Pick<LayerWorld, 'disk'> {
  const world = makeWorld()
  const disk = mountDisk(world.top)
  if (disk === null) return { disk, ...world }
  fs.mkdirSync(world.root)
  const remove = (): void => {
    disk.remove()
    world.remove()
  }
  return { ...world, disk, remove }
}

/** What the command does to a copy where nothing is between it and the files. */
function workPlainly(world: World, { line }: Work): Files {
  const copy = join(savedAt(world, 'plain'), 'root')
  fs.mkdirSync(savedAt(world, 'plain'))
  execFileSync('cp', ['-a', '--', join(savedAt(world, 'files'), 'root'), copy])
  execFileSync('sh', ['-c', line], { cwd: copy })
  return describeFiles(copy)
}

async function inLayerWorld(
  world: World,
  approve: 'later' | undefined,
  use: (runtime: Runtime) => Promise<void>,
): Promise<void> {
  const runtime = await openLayerWorld(world, approve)
  try {
    await use(runtime)
  } finally {
    await runtime.close()
  }
}

/** Brings a world to the beginning of a stage. */
export async function layLayerStage(world: World, stage: LayerStage, work: Work = WIDE): Promise<void> {
  const name = stage.isCopied && fs.existsSync(savedAt(world, stage.name)) ? stage.name : 'files'
  restoreWorld(world, name)
  if (name === 'files') await inLayerWorld(world, stage.approve, (runtime) => stage.lay(runtime, work))
  endOwners(world)
  if (stage.interrupted !== undefined) await interrupt(world, stage.interrupted, work)
  if (stage.isCopied && name === 'files') copyWorld(world, stage.name)
}

const onDisk = new WeakMap<Disk, string>()

/** The same, from what is kept on the world's own disk if it has one: it takes a tenth of the time. */
export async function beginStage({ world, work, disk }: LayerWorld, stage: LayerStage): Promise<void> {
  if (disk !== null && onDisk.get(disk) === stage.name && disk.putBack(SAVED)) return
  await layLayerStage(world, stage, work)
  if (disk === null) return
  disk.keep()
  onDisk.set(disk, stage.name)
}

async function interrupt(
  world: World,
  { argv, at }: NonNullable<LayerStage['interrupted']>,
  work: Work,
): Promise<void> {
  const { signal, stderr } = await runProcess(dying(tongs(world, argv, work.calls), at(work)))
  if (signal !== 'SIGKILL') throw new Error(`${argv.join(' ')} does not come to ${at(work)}: ${stderr}`)
}

/** Layers that this process made are left to others, as if it had ended. */
export function endOwners(world: World): void {
  for (const layer of layersOf(world)) {
    const file = join(layer, 'owner')
    // Whoever died while it was removed left a rest of it.
    if (!fs.existsSync(file)) continue
    // One that died while it wrote it left the beginning, which stays one.
    const owner = fs.readFileSync(file, 'utf8')
    const ended = owner.replace(/"startedAt":(\d+)/, (_all, at: string) => `"startedAt":${Number(at) - 1}`)
    fs.writeFileSync(file, ended)
  }
}

/** The folders of all layers, beside the root too: that is where they are made if the state folder cannot be used. */
export function layersOf({ root, stateDir }: World): readonly string[] {
  return layerPlaces({ root, stateDir, layerDir: '' }).flatMap((place) =>
    fs.existsSync(place) ? fs.readdirSync(place).map((name) => join(place, name)) : [],
  )
}

const SAVED = 'saved'
const savedAt = ({ top }: World, name: string): string => join(top, SAVED, name)

function copyWorld({ top, root, stateDir }: World, name: string): void {
  const saved = savedAt({ top } as World, name)
  fs.mkdirSync(saved, { recursive: true })
  const parts = [root, stateDir].filter((part) => fs.existsSync(part))
  execFileSync('cp', ['-a', '--', ...parts, saved])
}

function restoreWorld(world: World, name: string): void {
  const { top, root, stateDir } = world
  execFileSync('rm', ['-rf', '--', root, stateDir, placeBeside(root)])
  const saved = savedAt(world, name)
  execFileSync('cp', ['-a', '--', ...fs.readdirSync(saved).map((part) => join(saved, part)), top])
}
