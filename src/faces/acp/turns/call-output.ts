/** How much of the output of a call is kept while it runs. */
const MOST_KEPT = 1024 * 1024
/** How much of its end an editor is shown beside the call. */
const SHOWN = 4 * 1024
/** How many calls are remembered after they have ended. */
const MOST_CALLS = 32

/** What a call has written so far, counted from its beginning. */
export interface OutputPart {
  readonly text: string
  /** Where `text` begins; later than asked for if that part is not kept any more. */
  readonly from: number
  /** Where to go on. */
  readonly next: number
  readonly is_over: boolean
}

interface Output {
  text: string
  /** How many characters were dropped at the beginning. */
  dropped: number
  isOver: boolean
}

/** The output of running commands, so that a client can follow it. */
export class CallOutputs {
  readonly #byExecution = new Map<string, Output>()

  add(execution: string, chunk: string): void {
    const output = this.#of(execution)
    output.text += chunk
    const beyond = output.text.length - MOST_KEPT
    if (beyond <= 0) return
    output.text = output.text.slice(beyond)
    output.dropped += beyond
  }

  end(execution: string): void {
    const output = this.#byExecution.get(execution)
    if (output !== undefined) output.isOver = true
  }

  /** The end of the output, as whole lines where there are any. */
  tail(execution: string): string {
    const { text = '' } = this.#byExecution.get(execution) ?? {}
    if (text.length <= SHOWN) return text
    const end = text.slice(-SHOWN)
    return `…\n${end.slice(end.indexOf('\n') + 1)}`
  }

  /** The output from a place on; null if the call has written nothing. */
  read(execution: string, from: number): OutputPart | null {
    const output = this.#byExecution.get(execution)
    if (output === undefined) return null
    const begin = Math.max(from, output.dropped)
    const text = output.text.slice(begin - output.dropped)
    return { text, from: begin, next: begin + text.length, is_over: output.isOver }
  }

  #of(execution: string): Output {
    const known = this.#byExecution.get(execution)
    if (known !== undefined) return known
    const made: Output = { text: '', dropped: 0, isOver: false }
    this.#byExecution.set(execution, made)
    const [oldest] = this.#byExecution.keys()
    if (this.#byExecution.size > MOST_CALLS && oldest !== undefined) this.#byExecution.delete(oldest)
    return made
  }
}
