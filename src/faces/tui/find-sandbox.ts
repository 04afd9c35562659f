import type { Settings } from '../../config/keys.ts'
import { findConfinement } from '../../host/confine/find-confinement.ts'
import { homeFolder } from '../../host/folders.ts'

/** What confines commands here, in words. */
export async function findSandbox(settings: Settings): Promise<string> {
  try {
    const rung = await findConfinement({
      sandbox: settings['tools.shell.sandbox'],
      externalLabel: 'as configured',
      home: homeFolder(process.env),
    })
    return rung.holds ? rung.label : `none, so no commands run: ${rung.reason}`
  } catch (thrown) {
    return `unknown: ${thrown instanceof Error ? thrown.message : String(thrown)}`
  }
}
