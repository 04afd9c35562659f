import { createInterface } from 'node:readline'
import { QUIET_MS } from '../../../config/fixed-values.ts'
import { waitFor } from '../../../core/wait.ts'

/** Typed lines, one at a time. */
export interface TypedLines {
  /** Shows a prompt and waits for a line; null at the end of input, or if the signal aborts. */
  readonly next: (prompt: string, signal?: AbortSignal) => Promise<string | null>
  /** The same without echo; Ctrl-C gives null. */
  readonly nextUnseen: (prompt: string) => Promise<string | null>
  /** Discards unread lines and waits until no more come; true if there were any. */
  readonly settle: () => Promise<boolean>
  readonly close: () => void
}

/** Reads lines from the process's own terminal, which edits and echoes them itself. */
export function openTypedLines(write: (text: string) => void): TypedLines {
  const source = createInterface({ input: process.stdin, terminal: false })
  const waiting: string[] = []
  let take: ((line: string | null) => void) | null = null
  let isOver = false
  let lastAt = 0

  source.on('line', (line) => {
    lastAt = performance.now()
    if (take === null) waiting.push(line)
    else give(line)
  })
  source.on('close', () => {
    isOver = true
    give(null)
  })

  function give(line: string | null): void {
    const taker = take
    take = null
    taker?.(line)
  }

  const onEnd = (): void => give(null)

  const next: TypedLines['next'] = (prompt, signal) => {
    write(prompt)
    const [line] = waiting.splice(0, 1)
    if (line !== undefined || isOver || signal?.aborted === true) return Promise.resolve(line ?? null)
    const { promise, resolve } = Promise.withResolvers<string | null>()
    signal?.addEventListener('abort', onEnd, { once: true })
    take = (typed) => {
      // A signal that aborts after its question was answered must not end the next one.
      signal?.removeEventListener('abort', onEnd)
      resolve(typed)
    }
    return promise
  }

  const onUnseen = (chunk: Buffer | string): void => {
    if (chunk.includes(INTERRUPT)) give(null)
  }

  return {
    next,
    async nextUnseen(prompt) {
      // Without the terminal's own editing and signals, both are done here.
      process.stdin.setRawMode?.(true)
      process.stdin.on('data', onUnseen)
      try {
        const typed = await next(prompt)
        return typed === null ? null : withoutErased(typed)
      } finally {
        process.stdin.off('data', onUnseen)
        process.stdin.setRawMode?.(false)
        write('\n')
      }
    },
    async settle() {
      let hadAny = false
      do {
        hadAny ||= waiting.length > 0
        waiting.length = 0
        await waitFor(QUIET_MS)
      } while (waiting.length > 0 || performance.now() - lastAt < QUIET_MS)
      return hadAny
    },
    close: () => source.close(),
  }
}

const INTERRUPT = '\u0003'

/** What is left of a line after its backspaces. */
function withoutErased(typed: string): string {
  const kept: string[] = []
  for (const character of typed) {
    if (character === '\u007f' || character === '\b') kept.pop()
    else kept.push(character)
  }
  return kept.join('')
}
