import type { Settings } from '../../config/keys.ts'
import type { LevelName } from '../../host/confine/confinement.ts'
import { isSuperuser } from '../../host/system/process.ts'
import { findCgroupHome } from '../../host/run/cgroup.ts'
import { describeLimits, findHeldLimits } from '../../host/run/held-limits.ts'
import type { RunLimits } from '../../host/run/run-request.ts'
import type { ConfinementLevel } from '../../host/confine/find-confinement.ts'
import { homeFolder } from '../../host/fs/folders.ts'

/** The limits of a command as they are configured; 0 is none. */
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

/** Which limits will hold for a command at this level, in words, as far as that is known before it starts. */
export function describeShellLimits(limits: RunLimits, level: LevelName): string {
  const isRoot = isSuperuser()
  const isNamespaced = level === 'bwrap'
  const hasCgroup = findCgroupHome() !== null
  return describeLimits(limits, findHeldLimits(limits, { hasCgroup, isNamespaced, isRoot, lost: [] }), isRoot)
}

/** Looks what confines commands here, of what the settings allow. */
export async function findShellConfinement(settings: Settings): Promise<ConfinementLevel> {
  // Loaded when a command is first wanted: most runs of the program start none.
  const { findConfinement } = await import('../../host/confine/find-confinement.ts')
  return findConfinement({
    sandbox: settings['tools.shell.sandbox'],
    externalLabel: settings['tools.shell.external_label'],
    home: homeFolder(process.env),
    probeMs: settings['tools.shell.probe_seconds'] * 1000,
  })
}
