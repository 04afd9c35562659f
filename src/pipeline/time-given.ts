import type { Settings } from '../config/keys.ts'
import { memoizeLast } from '../core/memoize.ts'
import type { Tool } from '../core/tool.ts'

/** The time that a tool declares counts, longer or shorter than the default, up to the cap for all; in milliseconds. */
export const timeGiven = memoizeLast(({ limits }: Tool, settings: Settings) =>
  Math.min(
    limits.maxExecutionTimeMs ?? settings[settingOf(limits.timeout ?? 'default')] * 1000,
    settings['tools.timeouts.max_seconds'] * 1000,
  ),
)

function settingOf(timeout: NonNullable<Tool['limits']['timeout']>) {
  return timeout === 'conversation'
    ? ('tools.delegate.max_seconds' as const)
    : (`tools.timeouts.${timeout}_seconds` as const)
}
