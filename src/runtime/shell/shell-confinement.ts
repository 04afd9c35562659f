import type { Settings } from '../../config/keys.ts'
import type { LevelName } from '../../host/confine/confinement.ts'
import { isSuperuser } from '../../host/system/process.ts'
import { findCgroupHome } from '../../host/run/cgroup.ts'
import { describeLimits, findHeldLimits } from '../../host/run/held-limits.ts'
import type { RunLimits } from '../../host/run/run-request.ts'
import type { ConfinementLevel } from '../../host/confine/find-confinement.ts'
import { homeFolder } from '../../host/fs/folders.ts'

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

/** Finds what confines commands on this machine, among what the settings allow. */
export async function findShellConfinement(settings: Settings): Promise<ConfinementLevel> {
  // Loaded on first use: most runs of the program start no command.
  const { findConfinement } = await import('../../host/confine/find-confinement.ts')
  return findConfinement({
    sandbox: settings['tools.shell.sandbox'],
    externalLabel: settings['tools.shell.external_label'],
    home: homeFolder(process.env),
    probeMs: settings['tools.shell.probe_seconds'] * 1000,
  })
}
