import type { Settings } from '../../config/keys.ts'
import type { Rung } from '../../host/confine/find-confinement.ts'
import { homeFolder } from '../../host/fs/folders.ts'

/** Looks what confines commands here, of what the settings allow. */
export async function lookForConfinement(settings: Settings): Promise<Rung> {
  // Loaded when a command is first wanted: most runs of the program start none.
  const { findConfinement } = await import('../../host/confine/find-confinement.ts')
  return findConfinement({
    sandbox: settings['tools.shell.sandbox'],
    externalLabel: settings['tools.shell.external_label'],
    home: homeFolder(process.env),
    probeMs: settings['tools.shell.probe_seconds'] * 1000,
  })
}
