import type { Settings } from '../../../../config/keys.ts'
import {
  findShellConfinement,
  describeShellLimits,
  runLimits,
} from '../../../../runtime/shell/shell-confinement.ts'

/** One line of the doctor. */
export interface DoctorLine {
  readonly name: string
  readonly value: string | number | boolean | readonly string[] | null
  readonly isFine: boolean
  readonly hint?: string
}

/** What stands around commands here, how the probe of it went, and which limits hold. */
export async function examineShell(settings: Settings): Promise<readonly DoctorLine[]> {
  const rung = await findShellConfinement(settings)
  if (!rung.holds) {
    const hint =
      rung.advice.length === 0
        ? 'commands stay off until something confines them'
        : rung.advice.join('\n    ')
    return [
      { name: 'command sandbox', value: 'none holds, so commands are off', isFine: false, hint },
      { name: 'sandbox probe', value: rung.reason, isFine: false },
      { name: 'command limits', value: 'none: no command runs', isFine: true },
    ]
  }
  const isProbed = rung.name === 'bwrap' || rung.name === 'seatbelt'
  const limits = describeShellLimits(runLimits(settings), rung.name)
  return [
    {
      name: 'command sandbox',
      value: rung.label,
      isFine: rung.name !== 'none',
      ...(rung.name === 'none' ? { hint: 'commands can do whatever you can; see tools.shell.sandbox' } : {}),
    },
    {
      name: 'sandbox probe',
      value: isProbed
        ? 'every attempt to get out failed'
        : 'not probed: Tongs puts nothing around commands itself',
      isFine: true,
    },
    { name: 'command limits', value: limits === '' ? 'none configured' : limits, isFine: true },
  ]
}
