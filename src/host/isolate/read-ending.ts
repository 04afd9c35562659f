import { ERRORS, failure, ToolFailure } from '../../core/error.ts'
import type { ErrorCode } from '../../core/error.ts'
import type { Isolation } from '../../core/isolation.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { JsonObject } from '../../core/json/value.ts'

/** How the process of an isolated tool ended, as seen from outside. */
export interface Ending {
  readonly exitCode: number | null
  readonly signal: string | null
  /** Its answer; null if that was not a JSON object. */
  readonly answer: JsonObject | null
  /** The end of its stderr. */
  readonly stderr: string
}

const OUT_OF_MEMORY = /out of memory|std::bad_alloc/i

/** Returns the output of a tool that finished and throws otherwise. Nothing that the process sends is trusted. */
export function readEnding({ answer, ...end }: Ending, isolation: Isolation): unknown {
  switch (answer?.['is']) {
    case 'finished':
      return answer['output']
    case 'failed':
      throw rebuildFailure(answer)
    case 'exhausted':
      throw outOfMemory(isolation)
    case 'unlimited':
      throw failure(
        'resource_exhausted',
        `Cannot set the limits of an isolated tool: ${textOf(answer['message'])}`,
        { limit: 'none' },
        ['Check the limits of this process, for example with ulimit -a.'],
      )
    case 'threw':
      throw rebuildError(answer)
    default:
      throw unanswered(end, isolation)
  }
}

function unanswered({ exitCode, signal, stderr }: Omit<Ending, 'answer'>, isolation: Isolation): Error {
  if (signal === 'SIGXCPU')
    return failure(
      'resource_exhausted',
      'The tool used up its processor time.',
      { limit: 'cpu', ...(isolation.cpuSeconds === null ? {} : { cpu_seconds: isolation.cpuSeconds }) },
      ['Ask for less at a time.'],
    )
  if (OUT_OF_MEMORY.test(stderr)) return outOfMemory(isolation)
  const how = signal === null ? `with exit code ${exitCode}` : `by ${signal}`
  return new Error(`its process ended ${how} without an answer`)
}

function outOfMemory({ memoryBytes }: Isolation): ToolFailure {
  return failure(
    'resource_exhausted',
    `The tool ran out of memory; it may use ${Math.round(memoryBytes / 1024 ** 2)} MiB.`,
    { limit: 'memory', memory_bytes: memoryBytes },
    ['Ask for less at a time.'],
  )
}

/** A ToolFailure that was thrown in the process, with its stack. */
function rebuildFailure({ error, stack }: JsonObject): Error {
  if (!isJsonObject(error) || !isErrorCode(error['code'])) return new Error('it failed in an unknown way')
  const { code, message, details, recovery } = error
  const meant = new ToolFailure({
    code,
    message: textOf(message),
    details: isJsonObject(details) ? details : {},
    recovery: Array.isArray(recovery) ? recovery.map(String) : [],
  })
  meant.stack = textOf(stack)
  return meant
}

/** Any other error that was thrown there. */
function rebuildError({ name, message, stack }: JsonObject): Error {
  const error = new Error(textOf(message))
  error.name = textOf(name)
  error.stack = textOf(stack)
  return error
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code)
}
