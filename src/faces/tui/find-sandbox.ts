import type { Settings } from '../../config/keys.ts'
import { explainThrown } from './explain-thrown.ts'
import { findShellConfinement } from '../../runtime/shell/shell-confinement.ts'

/** What confines commands here, in words. */
export async function findSandbox(settings: Settings): Promise<string> {
  try {
    const rung = await findShellConfinement(settings)
    return rung.holds ? rung.label : `none, so no commands run: ${rung.reason}`
  } catch (thrown) {
    return `unknown: ${explainThrown(thrown)}`
  }
}
