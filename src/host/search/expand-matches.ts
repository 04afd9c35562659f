import { Worker } from 'node:worker_threads'
import { failure } from '../../core/error.ts'
import { answerOf } from './answer-of.ts'
import type { ExpandRequest } from '../../core/text-requests.ts'

/** A pattern that takes longer most likely needs exponential time, and would not end. */
const MAX_MS = 5_000

/** What the worker answers: a text for each place, or why there is none. */
type Answer = readonly string[] | { readonly why: string }

/**
 * What a replacement becomes at each match, with `$1`, `$<name>` and `$&` filled in. It runs on its own thread, so that
 * a pattern that never ends can be stopped.
 */
export async function expandMatches(request: ExpandRequest): Promise<readonly string[]> {
  const { query, isCaseSensitive, replacement, places } = request
  request.signal.throwIfAborted()
  const worker = new Worker(`(${answerExpansions.toString()})()`, {
    eval: true,
    workerData: { query, flags: isCaseSensitive ? 'yu' : 'iyu', replacement, places },
    env: {},
  })
  worker.unref()
  try {
    const answer = await answerOf<Answer>(worker, { signal: request.signal, mostMs: MAX_MS, tooSlow })
    if (!('why' in answer)) return answer
    throw failure('bad_args', `The groups of the pattern cannot be filled in: ${answer.why}.`, {}, [
      'Write the pattern in the syntax that JavaScript shares with other engines, or leave $1 and the like out.',
    ])
  } finally {
    await worker.terminate()
  }
}

function tooSlow(): Error {
  return failure('execution_failed', `The pattern takes more than ${MAX_MS / 1000} s.`, {}, [
    'Use a simpler pattern, or fewer files at a time.',
  ])
}

/** Runs in the worker, which is started from the source of this function, so it cannot use anything outside it. */
function answerExpansions(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
  const { query, flags, replacement, places } = workerData as {
    query: string
    flags: string
    replacement: string
    places: readonly { readonly line: string; readonly from: number; readonly to: number }[]
  }
  const answer = (): readonly string[] | { readonly why: string } => {
    let pattern: RegExp
    try {
      pattern = new RegExp(query, flags)
    } catch (error) {
      return { why: String(error).replace(/^.*: /s, '') }
    }
    const expanded: string[] = []
    for (const { line, from, to } of places) {
      pattern.lastIndex = from
      const found = pattern.exec(line)
      if (found === null || found[0].length !== to - from)
        return { why: 'the pattern means something else to the engine that fills them in' }
      expanded.push(
        replacement.replaceAll(/\$(?:(\$)|(&)|(\d{1,2})|<([^>]*)>)/g, (whole, dollar, all, number, name) => {
          if (dollar !== undefined) return '$'
          if (all !== undefined) return found[0]
          const group: unknown = number === undefined ? found.groups?.[name] : found[Number(number)]
          const isKnown =
            number === undefined ? Object.hasOwn(found.groups ?? {}, name) : Number(number) < found.length
          return isKnown ? String(group ?? '') : whole
        }),
      )
    }
    return expanded
  }
  parentPort?.postMessage(answer(), [])
}
