import type { Limits } from '../../agent/budget.ts'
import type { ParsedLine } from './arguments.ts'
import { UsageError } from './trouble.ts'

const PROTOCOLS = ['native', 'fenced', 'auto'] as const

const OPTIONS = [
  ['--max-tokens', 'maxTokens', /^\d{1,15}$/, 'write a whole number, such as 20000'],
  ['--max-seconds', 'maxSeconds', /^\d{1,15}(?:\.\d{1,9})?$/, 'write a number, such as 90 or 0.5'],
  ['--max-cost', 'maxCost', /^\d{1,15}(?:\.\d{1,9})?$/, 'write a number, such as 2 or 0.25'],
] as const

/** What a turn may use up, as a command line says it; nothing is used at all where it says 0. */
export function readLimits(line: ParsedLine): Limits {
  const limits: { -readonly [Key in keyof Limits]: Limits[Key] } = {}
  for (const [option, key, form, hint] of OPTIONS) {
    const text = line.value(option)
    if (text === undefined) continue
    if (!form.test(text))
      throw new UsageError(`${option} ${JSON.stringify(text)} is no number of that kind`, hint)
    limits[key] = Number(text)
  }
  return limits
}

/** How calls are to be read, as a command line says it. */
export function readProtocol(line: ParsedLine): (typeof PROTOCOLS)[number] {
  const protocol = PROTOCOLS.find((word) => word === (line.value('--protocol') ?? 'auto'))
  if (protocol !== undefined) return protocol
  throw new UsageError('--protocol is none of native, fenced, auto', 'leave it out to let the model decide')
}
