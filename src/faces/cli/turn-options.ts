import type { Limits } from '../../agent/budget.ts'
import type { ParsedLine } from './arguments.ts'
import { UsageError } from './trouble.ts'

const PROTOCOLS = ['native', 'fenced', 'auto'] as const

/** How a conversation with a model is to be held, as the command line says it. */
export interface TurnOptions {
  readonly protocol: (typeof PROTOCOLS)[number]
  readonly limits: Limits
}

/** Reads the options that `run` and the app share. */
export function readTurnOptions(line: ParsedLine): TurnOptions {
  const protocol = PROTOCOLS.find((word) => word === (line.value('--protocol') ?? 'auto'))
  if (protocol === undefined)
    throw new UsageError('--protocol is none of native, fenced, auto', 'leave it out to let the model decide')
  const maxTokens = readNumber(line, '--max-tokens')
  const maxSeconds = readNumber(line, '--max-seconds')
  const maxCost = readNumber(line, '--max-cost')
  const limits = {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(maxSeconds === undefined ? {} : { maxSeconds }),
    ...(maxCost === undefined ? {} : { maxCost }),
  }
  return { protocol, limits }
}

function readNumber(line: ParsedLine, option: string): number | undefined {
  const text = line.value(option)
  if (text === undefined) return undefined
  if (!/^\d+(\.\d+)?$/.test(text))
    throw new UsageError(`${option} ${JSON.stringify(text)} is no number`, 'write digits')
  return Number(text)
}
