/** One step of a streaming transformation: it holds back what it cannot decide yet, and `end` returns the rest. */
export type Stage = {
  readonly push: (chunk: string) => string
  readonly end: () => string
}

/** A sequence that has not ended after this many UTF-16 units is treated as text. */
const MAX_SEQUENCE_UNITS = 4096

const INTRODUCER = /[\u001B\u0090\u0098\u009B\u009D\u009E\u009F]/g
const CSI_BODY = /[\u0020-\u003F]*/y
const STRING_STOP = /[\u0007\u0018\u001A\u001B\u009C\n]/g

/** Introducers of control strings (DCS, SOS, OSC, PM, APC): after ESC, and as a single C1 character. */
const STRING_INTRODUCERS = 'PX]^_\u0090\u0098\u009D\u009E\u009F'

type State = 'text' | 'escape' | 'intermediate' | 'csi' | 'osc' | 'string' | 'string-escape'

const isBetween = (unit: string, low: string, high: string): boolean => unit >= low && unit <= high

const stateAfter = (introducer: string): State => {
  if (introducer === '\u001B') return 'escape'
  if (introducer === '[' || introducer === '\u009B') return 'csi'
  if (introducer === ']' || introducer === '\u009D') return 'osc'
  if (STRING_INTRODUCERS.includes(introducer)) return 'string'
  return isBetween(introducer, ' ', '/') ? 'intermediate' : 'text'
}

/**
 * Creates a stage that drops complete terminal sequences from a stream of text. An incomplete one (broken off by a
 * line feed, a cancel, another ESC, an invalid character, the length limit or the end) is passed through unchanged,
 * so that it cannot swallow what follows. It is not scanned again, which keeps the time linear. The output may still
 * contain ESC and C1.
 */
export function createSequenceRemover(): Stage {
  return new SequenceRemover()
}

const ANY_INTRODUCER = /[\u001B\u0090\u0098\u009B\u009D\u009E\u009F]/
const EVERY_INTRODUCER = /[\u001B\u0090\u0098\u009B\u009D\u009E\u009F]/g

/** A text without terminal sequences; of an incomplete one only the introducer is removed. */
export function removeSequences(text: string): string {
  if (!ANY_INTRODUCER.test(text)) return text
  const remover = createSequenceRemover()
  return (remover.push(text) + remover.end()).replaceAll(EVERY_INTRODUCER, '')
}

/** Continues reading at an offset, and returns where the next state begins. */
type Reader = (chunk: string, from: number) => number

class SequenceRemover implements Stage {
  #state: State = 'text'
  /** The sequence so far. */
  #pending = ''
  #out = ''

  readonly #readers: Readonly<Record<State, Reader>> = {
    text: (chunk, from) => this.#readText(chunk, from),
    escape: (chunk, from) => this.#readEscape(chunk, from),
    intermediate: (chunk, from) => this.#readEscape(chunk, from),
    csi: (chunk, from) => this.#readCsi(chunk, from),
    osc: (chunk, from) => this.#readString(chunk, from),
    string: (chunk, from) => this.#readString(chunk, from),
    'string-escape': (chunk, from) => this.#readStringEscape(chunk, from),
  }

  push(chunk: string): string {
    let at = 0
    while (at < chunk.length) {
      if (this.#pending.length >= MAX_SEQUENCE_UNITS) this.#endSequence(this.#pending)
      at = this.#readers[this.#state](chunk, at)
    }
    return this.#takeOut()
  }

  end(): string {
    this.#endSequence(this.#state === 'string-escape' ? `${this.#pending}\u001B` : this.#pending)
    return this.#takeOut()
  }

  #takeOut(): string {
    const taken = this.#out
    this.#out = ''
    return taken
  }

  /** Returns to plain text; `shown` is what the output gets of the sequence. */
  #endSequence(shown: string): void {
    this.#out += shown
    this.#pending = ''
    this.#state = 'text'
  }

  #readText(chunk: string, from: number): number {
    INTRODUCER.lastIndex = from
    const at = INTRODUCER.exec(chunk)?.index ?? chunk.length
    this.#out += chunk.slice(from, at)
    if (at === chunk.length) return at
    this.#pending = chunk.charAt(at)
    this.#state = stateAfter(this.#pending)
    return at + 1
  }

  #readEscape(chunk: string, from: number): number {
    const unit = chunk.charAt(from)
    if (this.#state === 'escape' && isBetween(unit, ' ', '~')) this.#state = stateAfter(unit)
    else if (isBetween(unit, '0', '~')) this.#state = 'text'
    else if (!isBetween(unit, ' ', '/')) {
      this.#endSequence(this.#pending)
      return from
    }
    if (this.#state === 'text') this.#endSequence('')
    else this.#pending += unit
    return from + 1
  }

  #readCsi(chunk: string, from: number): number {
    CSI_BODY.lastIndex = from
    CSI_BODY.exec(chunk)
    const at = this.#takePending(chunk, from, CSI_BODY.lastIndex)
    if (at === chunk.length || this.#pending.length === MAX_SEQUENCE_UNITS) return at
    const isFinal = isBetween(chunk.charAt(at), '@', '~')
    this.#endSequence(isFinal ? '' : this.#pending)
    return isFinal ? at + 1 : at
  }

  #readString(chunk: string, from: number): number {
    STRING_STOP.lastIndex = from
    const at = this.#takePending(chunk, from, STRING_STOP.exec(chunk)?.index ?? chunk.length)
    if (at === chunk.length || this.#pending.length === MAX_SEQUENCE_UNITS) return at
    const unit = chunk.charAt(at)
    const isBell = unit === '\u0007'
    if (unit === '\u001B') this.#state = 'string-escape'
    else if (unit === '\u009C' || (isBell && this.#state === 'osc')) this.#endSequence('')
    else if (isBell) this.#pending += unit
    else {
      this.#endSequence(this.#pending)
      return at
    }
    return at + 1
  }

  /** Adds a stretch to the sequence, up to its length limit; returns where the stretch ends. */
  #takePending(chunk: string, from: number, to: number): number {
    const at = Math.min(to, from + MAX_SEQUENCE_UNITS - this.#pending.length)
    this.#pending += chunk.slice(from, at)
    return at
  }

  #readStringEscape(chunk: string, from: number): number {
    if (chunk.charAt(from) === '\\') {
      this.#endSequence('')
      return from + 1
    }
    this.#endSequence(this.#pending)
    this.#pending = '\u001B'
    this.#state = 'escape'
    return from
  }
}
