import { Worker } from 'node:worker_threads'
import { failure } from '../../core/error.ts'
import { answerOf } from './answer-of.ts'

/** What to match, and how many matches per file are enough. */
export interface TextQuery {
  readonly query: string
  readonly isRegex: boolean
  readonly isCaseSensitive: boolean
  readonly maxMatches: number
}

/** Finds text in bytes on its own thread, so that a pattern that never ends can be stopped. */
export interface TextMatcher {
  /** Three numbers for each match: its line, from 1, and its start and end in the bytes. */
  readonly match: (bytes: Uint8Array) => Promise<readonly number[]>
  readonly close: () => void
}

/** A matcher, or what is wrong with the pattern. */
export type StartedMatcher =
  | { readonly ok: true; readonly matcher: TextMatcher }
  | { readonly ok: false; readonly why: string }

/** A pattern that takes longer most likely needs exponential time, and would not end. */
const MAX_FILE_MS = 5_000
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g

/** Starts a matcher; the signal stops it. */
export function startTextMatcher(query: TextQuery, signal: AbortSignal): StartedMatcher {
  const pattern = compile(query)
  if (typeof pattern === 'string') return { ok: false, why: pattern }
  const worker = new Worker(`(${answerMatches.toString()})()`, {
    eval: true,
    workerData: { pattern, maxMatches: query.maxMatches },
    env: {},
  })
  worker.unref()
  // An error between two requests needs no handling here: the next request fails as well.
  worker.on('error', () => undefined)
  const close = (): void => void worker.terminate()
  return { ok: true, matcher: { match: (bytes) => ask(worker, bytes, signal), close } }
}

function compile({ query, isRegex, isCaseSensitive }: TextQuery): RegExp | string {
  const source = isRegex ? query : query.replaceAll(SPECIAL, String.raw`\$&`)
  try {
    return new RegExp(source, isCaseSensitive ? 'gu' : 'giu')
  } catch (error) {
    return String(error).replace(/^.*: /s, '')
  }
}

function ask(worker: Worker, bytes: Uint8Array, signal: AbortSignal): Promise<readonly number[]> {
  const answer = answerOf<readonly number[]>(worker, { signal, mostMs: MAX_FILE_MS, tooSlow })
  worker.postMessage(bytes, [])
  return answer
}

function tooSlow(): Error {
  const message = `The pattern takes more than ${MAX_FILE_MS / 1000} s for one file.`
  return failure('execution_failed', message, {}, [
    'Use a simpler pattern, or leave is_regex out to search for the text as it is.',
  ])
}

/** Runs in the worker, which is started from the source of this function, so it cannot use anything outside it. */
function answerMatches(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads')
  const { Buffer: Bytes } = process.getBuiltinModule('node:buffer')
  const { pattern, maxMatches } = workerData as { pattern: RegExp; maxMatches: number }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

  const findAll = (bytes: Uint8Array): readonly number[] => {
    const found: number[] = []
    let from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
    for (let line = 1; from < bytes.length; line++) {
      const lf = bytes.indexOf(0x0a, from)
      const next = lf === -1 ? bytes.length : lf
      const end = next > from && bytes[next - 1] === 0x0d ? next - 1 : next
      const text = decoder.decode(bytes.subarray(from, end))
      let unit = 0
      let at = from
      for (const { 0: matched, index } of text.matchAll(pattern)) {
        at += Bytes.byteLength(text.slice(unit, index))
        unit = index
        found.push(line, at, at + Bytes.byteLength(matched))
        if (found.length >= maxMatches * 3) return found
      }
      from = next + 1
    }
    return found
  }
  parentPort?.on('message', (bytes: Uint8Array) => parentPort.postMessage(findAll(bytes), []))
}
