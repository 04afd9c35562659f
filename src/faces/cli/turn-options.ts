import type { Limits } from '../../agent/loop/budget.ts'
import type { ParsedLine } from './arguments.ts'
import { UsageError } from './errors.ts'

const PROTOCOLS = ['native', 'fenced', 'auto'] as const

/** The turn options of a command line. */
export interface TurnOptions {
  readonly protocol: (typeof PROTOCOLS)[number]
  readonly limits: Limits
}

/** Reads the options that `run` and the app share. */
export function readTurnOptions(line: ParsedLine): TurnOptions {
  return { protocol: readProtocol(line), limits: readLimits(line) }
}

const OPTIONS = [
  ['--max-tokens', 'maxTokens', /^\d{1,15}$/, 'write a whole number, such as 20000'],
  ['--max-seconds', 'maxSeconds', /^\d{1,15}(?:\.\d{1,9})?$/, 'write a number, such as 90 or 0.5'],
  ['--max-cost', 'maxCost', /^\d{1,15}(?:\.\d{1,9})?$/, 'write a number, such as 2 or 0.25'],
] as const

/** The limits of a turn; 0 allows nothing. */
function readLimits(line: ParsedLine): Limits {
  const limits: { -readonly [Key in keyof Limits]: Limits[Key] } = {}
  for (const [option, key, form, hint] of OPTIONS) {
    const text = line.value(option)
    if (text === undefined) continue
    if (!form.test(text))
      throw new UsageError(`${option} ${JSON.stringify(text)} is not a valid number`, hint)
    limits[key] = Number(text)
  }
  return limits
}

function readProtocol(line: ParsedLine): (typeof PROTOCOLS)[number] {
  const protocol = PROTOCOLS.find((word) => word === (line.value('--protocol') ?? 'auto'))
  if (protocol !== undefined) return protocol
  throw new UsageError('--protocol must be native, fenced or auto', 'leave it out to let the model decide')
}
