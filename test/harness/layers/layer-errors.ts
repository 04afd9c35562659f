import type { Ended } from '../faults/command.ts'
import { failAt, traceSyscalls } from '../faults/strace.ts'
import type { Syscall } from '../faults/strace.ts'
import { errorsOf, findUnclear } from '../faults/syscall-errors.ts'
import { readPrinted } from '../faults/world/acknowledged.ts'
import type { World } from '../faults/world/world.ts'
import { compareFiles, describeFiles, withoutTimes } from './describe-files.ts'
import { commandOf } from './kill-layers.ts'
import { checkLayerLaws } from './layer-laws.ts'
import { LAYER_STAGES, layLayerStage } from './layer-world.ts'
import type { LayerStage, LayerWorld } from './layer-world.ts'

/** A system call of a stage that fails, alone or with all of its kind that follow. */
export interface LayerError {
  readonly stage: string
  readonly name: string
  readonly nth: number
  readonly error: string
  readonly isLasting: boolean
}

/** What landing uses besides what other edits use. */
const FURTHER = ['symlink', 'chmod', 'chown', 'lchown', 'utimensat', 'fdatasync']

/** Every error at every system call with which the process of a stage itself changes something. */
export async function findLayerErrors(world: World, stage: LayerStage): Promise<readonly LayerError[]> {
  await layLayerStage(world, stage)
  const calls = await traceSyscalls(world, commandOf(world, stage), FURTHER, 'reads')
  return calls.flatMap((call) =>
    layerErrorsOf(call).flatMap((error) =>
      // The runtime of JavaScript itself gives up where none of its writes works any more.
      [false, ...(call.name === 'write' ? [] : [true])].map((isLasting) => ({
        stage: stage.name,
        name: call.name,
        nth: call.nth,
        error,
        isLasting,
      })),
    ),
  )
}

function layerErrorsOf(call: Syscall): readonly string[] {
  if (call.name === 'rename') return [...errorsOf(call), 'EXDEV', 'EBUSY']
  if (call.name === 'link') return [...errorsOf(call), 'EXDEV', 'EMLINK']
  if (call.name === 'unlink' || call.name === 'rmdir') return [...errorsOf(call), 'EBUSY']
  if (FURTHER.includes(call.name) && call.name !== 'symlink' && !call.name.includes('sync'))
    return ['EIO', 'EROFS', 'EPERM']
  return errorsOf(call)
}

/** Lets a system call of a stage fail, and checks that what is said about it is true and that every law holds. */
export async function failLayer(layered: LayerWorld, { stage: name, error, isLasting, ...call }: LayerError) {
  const stage = LAYER_STAGES.find((one) => one.name === name)
  if (stage === undefined) throw new Error(`there is no stage ${name}`)
  const { world } = layered
  await layLayerStage(world, stage)
  // Syncs of contents run in threads.
  const reach = call.name.includes('sync') ? 'all' : 'alone'
  const ended = await failAt(world, commandOf(world, stage), call, error, isLasting, reach)
  const broken = [
    ...(stage.name === 'deny' && ended.code === 3 ? [] : findUnclear(ended)),
    ...findUntrue(layered, stage, ended),
  ]
  const acknowledged = readPrinted(ended.stdout)
  broken.push(
    ...(await checkLayerLaws(layered, { stage: stage.name, acknowledged, choice: 'resume' }).catch(
      (thrown: unknown) => [`it cannot go on: ${String(thrown)}`],
    )),
  )
  return { hit: ended.hit, broken }
}

/** What stays of a command that was said to have landed, or to have left nothing. */
function findUntrue(
  { world, before, after }: LayerWorld,
  stage: LayerStage,
  ended: Ended,
): readonly string[] {
  const said = sayingOf(ended)
  // What was interrupted is finished or taken back, whichever is possible; the laws see to it that it is whole.
  if (said === null || stage.name.startsWith('recover')) return []
  const isApplied = stage.name === 'undo' ? !said : said && stage.name !== 'ask' && stage.name !== 'deny'
  const found = describeFiles(world.root)
  const faults = isApplied
    ? compareFiles(withoutTimes(after), withoutTimes(found))
    : compareFiles(before, found)
  return faults.map((fault) => `said ${said ? 'done' : 'undone'}: ${fault}`)
}

/** Whether a process said that it did its work, or that nothing of it is left; null if it left that open. */
function sayingOf({ code, stdout, stderr }: Ended): boolean | null {
  if (/in_doubt|next tongs command|being taken back/.test(stdout + stderr)) return null
  if (code === 0) return true
  return /"ok":false/.test(stdout) ? false : null
}
