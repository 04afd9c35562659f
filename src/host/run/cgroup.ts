import { accessSync, constants, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { waitFor } from '../../core/wait.ts'
import { errnoOf } from '../fs/errno.ts'
import type { RunLimits } from './run-request.ts'
import type { CgroupPlan } from './spawner-messages.ts'

const CONTROLLERS = ['memory', 'pids']
/** The kernel empties a group shortly after its last process has ended. */
const REMOVE_TRIES = 20
const REMOVE_PAUSE_MS = 10

/**
 * A control group folder (version 2) in which this process may create groups that limit memory and processes: that of its
 * own group or of the parent, as user sessions are set up on systems that delegate groups. Null if there is none.
 */
export function findCgroupHome(
  mountPoint = '/sys/fs/cgroup',
  ownGroups = '/proc/self/cgroup',
): string | null {
  try {
    const own = /^0::(\/.*)$/m.exec(readFileSync(ownGroups, 'utf8'))?.[1]
    if (own === undefined) return null
    const folder = join(mountPoint, own)
    const candidates = own === '/' ? [folder] : [folder, dirname(folder)]
    return candidates.find(isUsable) ?? null
  } catch {
    return null
  }
}

function isUsable(folder: string): boolean {
  try {
    const enabled = readFileSync(join(folder, 'cgroup.subtree_control'), 'utf8').trim().split(/\s+/)
    for (const file of ['.', 'cgroup.procs']) accessSync(join(folder, file), constants.W_OK)
    return CONTROLLERS.every((controller) => enabled.includes(controller))
  } catch {
    return false
  }
}

/** Processes of the sandbox itself that count towards the group of the command. */
const OWN_PROCESSES = 4

/** Plans the group that limits one command. */
export function planCgroup(home: string, name: string, limits: RunLimits): CgroupPlan | null {
  const { memoryBytes, processes } = limits
  if (memoryBytes === undefined && processes === undefined) return null
  return {
    folder: join(home, `tongs-${name}`),
    settings: [
      ...(memoryBytes === undefined
        ? []
        : ([
            ['memory.max', `${Math.ceil(memoryBytes)}`],
            ['memory.swap.max', '0'],
            ['memory.oom.group', '1'],
          ] as const)),
      ...(processes === undefined
        ? []
        : ([['pids.max', `${Math.ceil(processes) + OWN_PROCESSES}`]] as const)),
    ],
  }
}

/** Creates the group; if the system refuses, returns false and leaves nothing behind. */
export function makeCgroup({ folder, settings }: CgroupPlan): boolean {
  try {
    mkdirSync(folder)
    for (const [file, value] of settings) {
      // Kernels without swap accounting lack some files, which is fine; the limits themselves are required.
      if (file.endsWith('.max') && file !== 'memory.swap.max') writeFileSync(join(folder, file), value)
      else writeIfThere(join(folder, file), value)
    }
    return true
  } catch {
    removeFolder(folder)
    return false
  }
}

function writeIfThere(file: string, value: string): void {
  try {
    writeFileSync(file, value)
  } catch {
    // The setting is optional.
  }
}

/** A command that enters the group and then executes another. */
export function enterCgroup({ folder }: CgroupPlan, argv: readonly string[]): readonly string[] {
  return ['/bin/sh', '-c', 'echo 0 >"$0/cgroup.procs" && exec "$@"', folder, ...argv]
}

/** Kills what is left in a group, and removes the group. */
export async function endCgroup({ folder }: CgroupPlan): Promise<void> {
  // Older kernels have no such file; the processes were also killed one by one.
  writeIfThere(join(folder, 'cgroup.kill'), '1')
  for (let left = REMOVE_TRIES; left > 0 && !removeFolder(folder); left--) await waitFor(REMOVE_PAUSE_MS)
}

function removeFolder(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return errnoOf(error) === 'ENOENT'
  }
}
