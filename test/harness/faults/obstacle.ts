import * as fs from 'node:fs'
import { join } from 'node:path'
import type { ToolCall } from '../../../src/core/call.ts'
import { systemClock } from '../../../src/host/system/clock.ts'
import type { FileChange } from '../../../src/journal/entries/entry.ts'
import { openStore } from '../../../src/journal/open-store.ts'
import type { Runtime } from '../../../src/runtime/create-runtime.ts'
import type { Acknowledged } from './world/acknowledged.ts'
import { readFacts } from './world/facts.ts'
import type { Golden } from './world/golden.ts'
import { checkLaws } from './world/laws.ts'
import { NAIVE } from './naive.ts'
import { openWorld } from './world/open-world.ts'
import { SESSION } from './world/script.ts'
import type { Stage } from './world/stage.ts'
import { watchSteps } from './world/steps.ts'
import type { Step, Stop } from './world/watching.ts'
import { compareTrees, readTree } from './world/tree.ts'
import { copyAll } from './world/world.ts'
import type { World } from './world/world.ts'

/** Every file that the script changes, makes or removes. */
export const CHANGED_FILES = [
  'a.txt',
  'run.sh',
  'old.txt',
  'odd.txt',
  'n1.txt',
  'n2.txt',
  'log.txt',
  'gone.txt',
  'tidy.bin',
] as const

/** What systems answer for names that cannot be replaced. */
export const LASTING_ERRORS = ['EPERM', 'EBUSY', 'EACCES', 'EROFS', 'EIO', 'ENOSPC'] as const

/** A file whose name cannot be given to another file, nor taken from it, for as long as it lasts. */
export interface Obstacle {
  readonly file: string
  readonly error: string
}

const NUMBERS: Readonly<Record<string, number>> = {
  EPERM: 1,
  EBUSY: 16,
  EACCES: 13,
  EROFS: 30,
  EIO: 5,
  ENOSPC: 28,
}

/** Whether a step would change what a name stands for. */
export function changesName({ name, target }: Step, file: string): boolean {
  return (name === 'renameSync' || name === 'unlinkSync') && target.endsWith(`/${file}`)
}

/** Stops every step that would change the name, for ever. */
export function blocking({ file, error }: Obstacle): (step: Step) => Stop | null {
  return (step) => (changesName(step, file) ? { error: systemError(error, step) } : null)
}

/** What the system answers at a step. */
export function systemError(code: string, { name, target }: Step): Error {
  const errno = -(NUMBERS[code] ?? 1)
  return Object.assign(new Error(`${code}: ${name} ${target}`), { code, errno, syscall: name })
}

/** After a failed call the rest is skipped, so that the workspace is still as after some number of edits. */
const STOPPING = { 'tools.on_execution_error': 'stop' }

/** Plays a stage that meets an obstacle, looks at the world while the obstacle is there and after it has gone. */
export async function meetObstacle(
  world: World,
  stage: Stage,
  calls: readonly ToolCall[],
  golden: Golden,
  obstacle: Obstacle,
): Promise<readonly string[]> {
  const acknowledged: Acknowledged[] = []
  const broken: string[] = []
  await watchSteps(blocking(obstacle), async () => {
    const runtime = await openWorld(world, stage.approve, STOPPING)
    try {
      await stage.act(runtime, calls, (told) => acknowledged.push(...told), world)
    } finally {
      await runtime.close()
    }
    broken.push(...(await findHalf(world, golden)))
  })
  return [...broken, ...(await checkLaws(world, { golden, acknowledged, choice: 'discard', again: calls }))]
}

/** Plays a stage that meets an obstacle and dies at one of its steps; the obstacle outlives it, or goes with it. */
export async function dieAtObstacle(
  world: World,
  stage: Stage,
  calls: readonly ToolCall[],
  golden: Golden,
  {
    obstacle,
    dieAt,
    isGone,
  }: { readonly obstacle: Obstacle; readonly dieAt: number; readonly isGone: boolean },
): Promise<{ readonly diedAt: Step | null; readonly blockedAt: number; readonly broken: readonly string[] }> {
  const left = join(world.top, 'state-at-death')
  fs.rmSync(left, { recursive: true, force: true })
  const acknowledged: Acknowledged[] = []
  const block = blocking(obstacle)
  const dying = new Error('died')
  let steps = 0
  let blockedAt = Infinity
  let diedAt: Step | null = null
  let runtime: Runtime | null = null
  const onDeath = (): void => copyAll(world.stateDir, left)
  const look = (step: Step): Stop | null => {
    if (diedAt !== null) return { error: dying }
    if (++steps !== dieAt) {
      const stop = block(step)
      if (stop !== null) blockedAt = Math.min(blockedAt, steps)
      return stop
    }
    diedAt = step
    return { error: dying, act: onDeath }
  }
  await watchSteps(look, async () => {
    try {
      runtime = await openWorld(world, stage.approve, STOPPING)
      const tell = (told: readonly Acknowledged[]): void => {
        if (diedAt === null) acknowledged.push(...told)
      }
      await stage.act(runtime, calls, tell, world)
      await runtime.close()
    } catch (error) {
      if (diedAt === null) throw error
    }
  })
  if (diedAt !== null) {
    await (runtime as Runtime | null)?.close().catch(() => undefined)
    fs.rmSync(world.stateDir, { recursive: true, force: true })
    if (fs.existsSync(left)) fs.renameSync(left, world.stateDir)
  }
  const broken: string[] = []
  if (!isGone) await watchSteps(block, async () => void broken.push(...(await findHalf(world, golden))))
  broken.push(...(await checkLaws(world, { golden, acknowledged, choice: 'discard', again: calls })))
  return { diedAt, blockedAt, broken }
}

/** While the obstacle is there: the files are as the log says, whole, and nothing is left to a person. */
async function findHalf(world: World, golden: Golden): Promise<readonly string[]> {
  const runtime = await openWorld(world)
  try {
    await runtime.ready()
    const { applied } = readFacts(runtime)
    const half = compareTrees(golden[applied] ?? new Map(), readTree(world.root))
    const listed = (await runtime.recover({ session: SESSION })).flatMap(({ calls }) => calls)
    const doubts = listed.filter(({ status }) => status === 'in_doubt')
    return [
      ...half.map((fault) => `half in place: ${fault}`),
      ...doubts.map(({ name, evidence }) => `${name} is in doubt: ${evidence}`),
    ]
  } finally {
    await runtime.close()
  }
}

/** Records a commit, renames its files one after the other, and calls it done although one of them refused. */
const renameAndGiveUp: Stage['act'] = async (_runtime, _calls, _tell, world) => {
  const { entries, payloads } = JSON.parse(fs.readFileSync(join(world.top, 'recorded.json'), 'utf8'))
  const contents = new Map(
    Object.entries(payloads as Record<string, string>).map(([digest, text]) => [
      digest,
      Buffer.from(text, 'base64'),
    ]),
  )
  const store = openStore({ stateDir: world.stateDir, durability: 'full', clock: systemClock })
  try {
    const log = await store.open({ root: world.root, name: SESSION })
    log.append({ entries, payloads: contents, reliance: 'durable' })
    for (const { kind, execution, changes } of entries) {
      if (kind !== 'settled') continue
      for (const change of changes as readonly FileChange[]) place(change, contents)
      log.landed(execution)
    }
  } finally {
    store.close()
  }
}

function place({ root, path, after }: FileChange, contents: ReadonlyMap<string, Uint8Array>): void {
  const file = join(root, path)
  try {
    if (after === null) return fs.unlinkSync(file)
    fs.mkdirSync(join(file, '..'), { recursive: true })
    fs.writeFileSync(`${file}.new`, contents.get(after.digest) ?? '')
    fs.chmodSync(`${file}.new`, after.mode)
    fs.renameSync(`${file}.new`, file)
  } catch {
    fs.rmSync(`${file}.new`, { force: true })
  }
}

/** A writer with a planted bug: it leaves a change half in place. */
export const GIVING_UP: Stage = { ...NAIVE, name: 'giving up', act: renameAndGiveUp }
