import { closeSync, openSync, writeSync } from 'node:fs'
import { ReadStream } from 'node:tty'
import { sanitise } from '../../core/text/sanitise.ts'
import { colourise } from './terminal.ts'
import type { Colour } from './terminal.ts'

/** The controlling terminal, for questions; stdin and stdout may be anything. */
export interface PromptTerminal {
  readonly columns: number
  readonly colour: (name: Colour, text: string) => string
  readonly write: (text: string) => void
  /** A line typed after the question was shown; null when time is up or the user interrupts. */
  readonly ask: (question: string, seconds: number, signal?: AbortSignal) => Promise<string | null>
  readonly close: () => void
}

/** Keys pressed before the question was drawn, and just after, are no answers to it. */
const DEAF_MS = 150

const ENTER = /[\r\n]/
const INTERRUPT = '\u0003'
const END = '\u0004'
const BACKSPACE = /[\u0008\u007f]/

/** Whether there is a terminal to ask on. */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r+'))
    return true
  } catch {
    return false
  }
}

/** Opens the controlling terminal, or gives null where there is none. */
export function openPromptTerminal(): PromptTerminal | null {
  let output: number
  let input: ReadStream
  try {
    output = openSync('/dev/tty', 'w')
    input = new ReadStream(openSync('/dev/tty', 'r'))
  } catch {
    return null
  }
  const write = (text: string): void => void writeSync(output, text)
  return {
    columns: columnsOf(),
    colour: (name, text) => colourise(name, text, (process.env['NO_COLOR'] ?? '') === ''),
    write,
    ask: (question, seconds, signal) => readLine(input, write, question, seconds, signal),
    close() {
      input.destroy()
      closeSync(output)
    },
  }
}

function columnsOf(): number {
  return process.stdout.columns ?? process.stderr.columns ?? 80
}

async function readLine(
  input: ReadStream,
  write: (text: string) => void,
  question: string,
  seconds: number,
  signal?: AbortSignal,
): Promise<string | null> {
  input.setRawMode(true)
  let typed = ''
  let isDeaf = true
  try {
    return await new Promise<string | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), seconds * 1000)
      const onData = (chunk: Buffer): void => {
        if (isDeaf) return
        for (const key of chunk.toString('utf8')) {
          if (key === INTERRUPT || key === END) return finish(null)
          if (ENTER.test(key)) return finish(typed)
          if (BACKSPACE.test(key)) {
            if (typed !== '') write('\b \b')
            typed = [...typed].slice(0, -1).join('')
          } else if (key >= ' ' && typed.length < 500) {
            typed += key
            write(sanitise(key))
          }
        }
      }
      const finish = (line: string | null): void => {
        clearTimeout(timer)
        input.off('data', onData)
        write('\n')
        resolve(line)
      }
      signal?.addEventListener('abort', () => finish(null), { once: true })
      input.on('data', onData)
      input.resume()
      setTimeout(() => {
        isDeaf = false
        write(question)
      }, DEAF_MS)
    })
  } finally {
    input.setRawMode(false)
    input.pause()
  }
}
