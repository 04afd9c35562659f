import type { ReadStream } from 'node:tty'
import { columnsOf, truncateStart } from '../../../terminal/fit-rows.ts'
import { CLEAR_ROW } from '../../../terminal/terminal-sequences.ts'

/** The outcome of asking for a line. */
export type Typed =
  | { readonly is: 'line'; readonly text: string }
  /** The terminal was closed, or the user pressed Ctrl-D. */
  | { readonly is: 'closed' }
  /** The signal aborted. */
  | { readonly is: 'stopped' }

/** What reading a line needs. */
export interface LineReading {
  readonly input: ReadStream
  readonly write: (text: string) => void
  readonly question: string
  readonly signal: AbortSignal
  readonly columns: number
  /** Makes typed text safe to echo. */
  readonly show: (text: string) => string
  readonly mostChars?: number
}

/** Keys pressed before the question is shown do not answer it. */
const IGNORE_MS = 150
const MOST_CHARS = 500

const INTERRUPT = '\u0003'
const END = '\u0004'
const CLEAR = '\u0015'
const BACKSPACE = /[\u0008\u007f]/
const ENTER = /[\r\n]/
const CONTROLS = /[\u0000-\u001f\u007f]+/g
/** What a terminal that can tell puts around pasted text, and how it is asked to and not to. */
const PASTE = /\u001b\[20([01])~/
const TELL_PASTES = '\u001b[?2004h'
const TELL_NO_PASTES = '\u001b[?2004l'
/** Arrow keys and other sequences, which type nothing. */
const ESCAPE = /\u001b(?:\[[0-?]*[ -/]*[@-~]|O.|.)?/g

/** Reads one line from a terminal in raw mode. Ctrl-C raises SIGINT, as in any other program. */
export async function readTypedLine(reading: LineReading): Promise<Typed> {
  const { input, write, question, signal, columns, show, mostChars = MOST_CHARS } = reading
  if (signal.aborted) return { is: 'stopped' }
  input.setEncoding('utf8')
  input.setRawMode(true)
  const last = question.slice(question.lastIndexOf('\n') + 1)
  let isIgnoring = true
  let isPasting = false
  let typed = ''
  const redraw = (): void =>
    write(`${CLEAR_ROW}${last}${truncateStart(show(typed), columns - columnsOf(last) - 2)}`)
  const { promise, resolve } = Promise.withResolvers<Typed>()

  /** True if the key ends the line. */
  function press(key: string): boolean {
    if (key === INTERRUPT) interrupt()
    else if (key === END && typed === '') resolve({ is: 'closed' })
    else if (ENTER.test(key)) resolve({ is: 'line', text: typed })
    else {
      if (key === CLEAR) typed = ''
      else if (BACKSPACE.test(key)) typed = [...typed].slice(0, -1).join('')
      else if (key >= ' ' && typed.length < mostChars) typed += key
      redraw()
      return false
    }
    return true
  }

  /** Leaves the line unanswered: the signal handler decides what happens to the question. */
  function interrupt(): void {
    input.setRawMode(false)
    process.kill(process.pid, 'SIGINT')
  }

  /** True if a key of the text ends the line. What is pasted is not an answer before Enter was pressed. */
  function pressAll(text: string): boolean {
    const keys = text.replaceAll(ESCAPE, '')
    for (const key of isPasting ? keys.replaceAll(CONTROLS, ' ') : keys) if (press(key)) return true
    return false
  }

  const onData = (chunk: string): void => {
    for (const [at, part] of chunk.split(PASTE).entries()) {
      // The marks are between the parts.
      if (at % 2 === 1) isPasting = part === '0'
      else if (!isIgnoring && pressAll(part)) break
    }
  }
  const onGone = (): void => resolve({ is: 'closed' })
  const onStop = (): void => resolve({ is: 'stopped' })
  signal.addEventListener('abort', onStop, { once: true })
  input.on('data', onData)
  for (const event of ['end', 'close', 'error']) input.on(event, onGone)
  input.resume()
  const timer = setTimeout(() => {
    // Input that is already there is read before this, even if the timer is late.
    setImmediate(() => {
      isIgnoring = false
      write(TELL_PASTES + question)
    })
  }, IGNORE_MS)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    isIgnoring = true
    signal.removeEventListener('abort', onStop)
    input.off('data', onData)
    for (const event of ['end', 'close', 'error']) input.off(event, onGone)
    // Ignores late errors of a closed terminal.
    input.on('error', () => undefined)
    write(`${TELL_NO_PASTES}\n`)
    leaveRawMode(input)
  }
}

function leaveRawMode(input: ReadStream): void {
  try {
    input.setRawMode(false)
    input.pause()
  } catch {
    // The terminal is closed.
  }
}
