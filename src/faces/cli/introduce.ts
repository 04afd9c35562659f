import type { Settings } from '../../config/keys.ts'
import { findShellConfinement } from '../../runtime/shell/shell-confinement.ts'

/** What a person should know before the first turn: who speaks, what may happen, and what confines commands. */
export async function introduce(model: string, settings: Settings): Promise<string> {
  const { 'tools.mode': mode, 'tools.approval.mode': approval } = settings
  const rung = await findShellConfinement(settings)
  const commands = rung.holds ? `commands are ${rung.label}` : `commands do not run: ${rung.reason}`
  return `${model}; tools are ${mode}, approval is ${approval}; ${commands}`
}
