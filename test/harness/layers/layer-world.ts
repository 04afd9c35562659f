import { execFileSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from '../../../src/runtime/create-runtime.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import { dying, run as runProcess, tongs } from '../faults/command.ts'
import { SESSION } from '../faults/world/script.ts'
import { makeWorld } from '../faults/world/world.ts'
import type { World } from '../faults/world/world.ts'
import { compareFiles, describeFiles, withoutTimes } from './describe-files.ts'
import type { Files } from './describe-files.ts'
import { layWork, LINE, WORK } from './work.ts'

/** A world in which one command works on a layer, with what its files look like before and after that. */
export interface LayerWorld {
  readonly world: World
  readonly before: Files
  /** Without times, which are the command's own. */
  readonly after: Files
}

/** Something that is done with the work of a command, to be interrupted at any moment. */
export interface LayerStage {
  readonly name: string
  readonly argv: readonly string[]
  /** Brings a world with nothing but its files to where the stage begins. */
  readonly lay: (runtime: Runtime) => Promise<void>
  readonly approve?: 'later'
  /** A command that is killed in the middle of its work, which the stage has to finish. */
  readonly interrupted?: { readonly argv: readonly string[]; readonly at: string }
  /** A copy of its beginning is as good as the beginning. Not where a landing waits: copied files look changed. */
  readonly isCopied: boolean
}

async function run(runtime: Runtime): Promise<void> {
  const [result] = await runtime.run(WORK, { session: SESSION })
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
    lay: async (runtime) => {
      await run(runtime)
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
    interrupted: { argv: ['batch', '--yes'], at: 'linkSync#10' },
    isCopied: false,
  },
  {
    name: 'recover undo',
    argv: ['recover'],
    lay: run,
    interrupted: { argv: ['undo', '--yes'], at: 'renameSync#12' },
    isCopied: false,
  },
]

/** Opens the world for somebody who says yes, or who answers later. */
export async function openLayerWorld(
  { root, stateDir }: World,
  approve: 'once' | 'later' = 'once',
): Promise<Runtime> {
  return createRuntime({
    root,
    stateDir,
    approve: (requests) => (approve === 'later' ? 'later' : requests.map(() => 'once' as const)),
  })
}

/** Makes a world and learns from an undisturbed run what the command leaves. */
export async function makeLayerWorld(): Promise<LayerWorld> {
  const world = makeWorld()
  layWork(world.root)
  copyWorld(world, 'files')
  const before = describeFiles(world.root)
  await inLayerWorld(world, undefined, run)
  const after = describeFiles(world.root)
  const faults = compareFiles(withoutTimes(workPlainly(world)), withoutTimes(after))
  if (faults.length > 0) throw new Error(`the command does something else on a layer: ${faults.join()}`)
  return { world, before, after }
}

/** What the command does to a copy where nothing is between it and the files. */
function workPlainly(world: World): Files {
  const copy = join(savedAt(world, 'plain'), 'root')
  fs.mkdirSync(savedAt(world, 'plain'))
  execFileSync('cp', ['-a', '--', join(savedAt(world, 'files'), 'root'), copy])
  execFileSync('sh', ['-c', LINE], { cwd: copy })
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
export async function layLayerStage(world: World, stage: LayerStage): Promise<void> {
  const name = stage.isCopied && fs.existsSync(savedAt(world, stage.name)) ? stage.name : 'files'
  restoreWorld(world, name)
  if (name === 'files') await inLayerWorld(world, stage.approve, stage.lay)
  endOwners(world)
  if (stage.interrupted !== undefined) await interrupt(world, stage.interrupted)
  if (stage.isCopied && name === 'files') copyWorld(world, stage.name)
}

async function interrupt(world: World, { argv, at }: NonNullable<LayerStage['interrupted']>): Promise<void> {
  const { signal, stderr } = await runProcess(dying(tongs(world, argv, WORK), at))
  if (signal !== 'SIGKILL') throw new Error(`${argv.join(' ')} does not come to ${at}: ${stderr}`)
}

/** Layers that this process made are left to others, as if it had ended. */
export function endOwners({ stateDir }: World): void {
  const place = join(stateDir, 'layers')
  for (const name of fs.existsSync(place) ? fs.readdirSync(place) : []) {
    const file = join(place, name, 'owner')
    const owner = JSON.parse(fs.readFileSync(file, 'utf8')) as { readonly startedAt: number }
    fs.writeFileSync(file, JSON.stringify({ ...owner, startedAt: owner.startedAt - 1 }))
  }
}

const savedAt = ({ top }: World, name: string): string => join(top, 'saved', name)

function copyWorld({ top, root, stateDir }: World, name: string): void {
  const saved = savedAt({ top } as World, name)
  fs.mkdirSync(saved, { recursive: true })
  const parts = [root, stateDir].filter((part) => fs.existsSync(part))
  execFileSync('cp', ['-a', '--', ...parts, saved])
}

function restoreWorld(world: World, name: string): void {
  const { top, root, stateDir } = world
  execFileSync('rm', ['-rf', '--', root, stateDir])
  const saved = savedAt(world, name)
  execFileSync('cp', ['-a', '--', ...fs.readdirSync(saved).map((part) => join(saved, part)), top])
}
