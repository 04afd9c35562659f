import type { Settings } from '../config/keys.ts'
import type { Rung } from '../host/confine/find-confinement.ts'
import { homeFolder } from '../host/folders.ts'

/** Finds what confines commands here, as it is configured. Its code is loaded late: most runs of the program start no command. */
export async function findRung(settings: Settings): Promise<Rung> {
  const { findConfinement } = await import('../host/confine/find-confinement.ts')
  return findConfinement({
    sandbox: settings['tools.shell.sandbox'],
    externalLabel: settings['tools.shell.external_label'],
    home: homeFolder(process.env),
    probeMs: settings['tools.shell.probe_seconds'] * 1000,
  })
}
