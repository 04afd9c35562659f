import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { failure } from '../../core/error.ts'
import type { PageText } from '../../core/web/web.ts'
import { answerOf } from '../search/answer-of.ts'

/** Ordinary pages take a fraction of a second, on a busy machine a few; one that takes longer was made to. */
const MAX_MS = 20_000
const MAX_HEAP_MB = 512
/** In the same folder as this file, both in the sources and in a build. */
const PROGRAM = join(import.meta.dirname, `page-worker${extname(import.meta.filename)}`)

/** What a reader would see of a page, as text. It is parsed on its own thread, with limits on time and memory. */
export async function readPage(
  html: string,
  base: string,
  signal: AbortSignal,
  mostMs = MAX_MS,
): Promise<PageText> {
  signal.throwIfAborted()
  const worker = new Worker(PROGRAM, {
    workerData: { html, base },
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  })
  worker.unref()
  try {
    return await answerOf<PageText>(worker, { signal, mostMs, tooSlow: tooComplex })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY')
      throw tooComplex()
    // It is nested deeper than a parser can follow.
    if (error instanceof RangeError) throw tooComplex()
    throw error
  } finally {
    await worker.terminate()
  }
}

function tooComplex(): Error {
  return failure('execution_failed', 'The page is too complex to be read as text.', {}, [
    'Repeat the call with raw set to true for its source.',
  ])
}
