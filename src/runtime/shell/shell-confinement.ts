import { join } from 'node:path'
import type { Settings } from '../../config/keys.ts'
import type { LevelName } from '../../host/confine/confinement.ts'
import { isSuperuser } from '../../host/system/process.ts'
import { findCgroupHome } from '../../host/run/cgroup.ts'
import { describeLimits, findHeldLimits } from '../../host/run/held-limits.ts'
import type { RunLimits } from '../../host/run/run-request.ts'
import type { ConfinementLevel } from '../../host/confine/find-confinement.ts'
import { homeFolder } from '../../host/fs/folders.ts'
import { findPrivateFolder } from '../../host/fs/private-folder.ts'
import type { OwnPath } from '../../workspace/sandbox/own-paths.ts'
import { findRootsFault } from '../configure/own-places.ts'

/** The configured limits of a command; 0 means no limit. */
export function runLimits(settings: Settings): RunLimits {
  const cpuSeconds = settings['tools.shell.limits.cpu_seconds']
  const memoryBytes = settings['tools.shell.limits.memory_bytes']
  const processes = settings['tools.shell.limits.processes']
  const fileBytes = settings['tools.shell.limits.file_bytes']
  return {
    ...(cpuSeconds === 0 ? {} : { cpuSeconds }),
    ...(memoryBytes === 0 ? {} : { memoryBytes }),
    ...(processes === 0 ? {} : { processes }),
    ...(fileBytes === 0 ? {} : { fileBytes }),
  }
}

/** Describes the limits that will hold for a command at this level, as far as that is known before it starts. */
export function describeShellLimits(limits: RunLimits, level: LevelName): string {
  const isRoot = isSuperuser()
  const isNamespaced = level === 'bwrap'
  const hasCgroup = findCgroupHome() !== null
  return describeLimits(limits, findHeldLimits(limits, { hasCgroup, isNamespaced, isRoot, lost: [] }), isRoot)
}

/** The roots of commands, and what in them belongs to Tongs itself. */
export interface CommandRoots {
  readonly roots: readonly string[]
  readonly own?: readonly OwnPath[]
  /** Where a proof of the sandbox is remembered; it is made anew if absent. */
  readonly stateDir?: string
}

/** Finds what confines commands to these roots on this machine, among what the settings allow. */
export async function findShellConfinement(
  settings: Settings,
  { roots, own = [], stateDir }: CommandRoots,
): Promise<ConfinementLevel> {
  const fault = isSandboxOurs(settings) ? findRootsFault(roots, own, process.env) : null
  if (fault !== null) return { holds: false, ...fault }
  // Loaded on first use: most runs of the program start no command.
  const { findConfinement } = await import('../../host/confine/find-confinement.ts')
  return findConfinement({
    sandbox: settings['tools.shell.sandbox'],
    externalLabel: settings['tools.shell.external_label'],
    home: homeFolder(process.env),
    probeMs: settings['tools.shell.probe_seconds'] * 1000,
    roots,
    ...(stateDir === undefined ? {} : { proofs: join(stateDir, 'proofs') }),
  })
}

/** A folder for the runner's files that live for a moment; without a sandbox of ours, commands could reach any. */
export function placeForRunner(settings: Settings, roots: readonly string[]): string {
  return findPrivateFolder('memory', isSandboxOurs(settings) ? roots : [])
}

function isSandboxOurs(settings: Settings): boolean {
  return settings['tools.shell.sandbox'] === 'auto'
}
