import type { Settings } from '../../config/keys.ts'

/**
 * The key by which a tool is denied, or null. A tool with an `enabled` switch of its own that is off counts as
 * denylisted, and the switch alone lifts the built-in entry.
 */
export function findDenyKey(name: string, settings: Settings): string | null {
  const switchKey = `tools.${name}.enabled`
  const isOn = Object.hasOwn(settings, switchKey)
    ? (settings as Readonly<Record<string, unknown>>)[switchKey] === true
    : null
  if (isOn === false) return switchKey
  const listed = settings['tools.approval.denylist'].includes(name)
  return listed ? 'tools.approval.denylist' : null
}
