/** One step of a streaming transformation: what it cannot decide yet it keeps, and `end` gives out the rest. */
export type Stage = {
  readonly push: (chunk: string) => string
  readonly end: () => string
}

/** A sequence that has not ended after this many UTF-16 units is no sequence: it is given out as text. */
const MAX_SEQUENCE_UNITS = 4096

const INTRODUCER = /[\u001B\u0090\u0098\u009B\u009D\u009E\u009F]/g
const CSI_BODY = /[\u0020-\u003F]*/y
const STRING_STOP = /[\u0007\u0018\u001A\u001B\u009C\n]/g

/** Introducers of control strings (DCS, SOS, OSC, PM, APC): after ESC, and as one C1 character. */
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
 * Drops whole terminal sequences from a stream of text. One that breaks off (at a line feed, a cancel, another ESC, a
 * character that cannot be in it, the length limit or the end) is given out as it is, so that nothing can swallow
 * what follows it. It is then not looked at again, which keeps the time linear. The output may hold ESC and C1.
 */
export const createSequenceRemover = (): Stage => {
  let state: State = 'text'
  let pending = ''
  let out = ''

  const toText = (kept: string): void => {
    out += kept
    pending = ''
    state = 'text'
  }

  const readText = (chunk: string, from: number): number => {
    INTRODUCER.lastIndex = from
    const at = INTRODUCER.exec(chunk)?.index ?? chunk.length
    out += chunk.slice(from, at)
    if (at === chunk.length) return at
    pending = chunk.charAt(at)
    state = stateAfter(pending)
    return at + 1
  }

  const readEscape = (chunk: string, from: number): number => {
    const unit = chunk.charAt(from)
    if (state === 'escape' && isBetween(unit, ' ', '~')) state = stateAfter(unit)
    else if (isBetween(unit, '0', '~')) state = 'text'
    else if (!isBetween(unit, ' ', '/')) {
      toText(pending)
      return from
    }
    if (state === 'text') toText('')
    else pending += unit
    return from + 1
  }

  const readCsi = (chunk: string, from: number): number => {
    CSI_BODY.lastIndex = from
    CSI_BODY.exec(chunk)
    const at = Math.min(CSI_BODY.lastIndex, from + MAX_SEQUENCE_UNITS - pending.length)
    pending += chunk.slice(from, at)
    if (at === chunk.length || pending.length === MAX_SEQUENCE_UNITS) return at
    const isFinal = isBetween(chunk.charAt(at), '@', '~')
    toText(isFinal ? '' : pending)
    return isFinal ? at + 1 : at
  }

  const readString = (chunk: string, from: number): number => {
    STRING_STOP.lastIndex = from
    const stop = STRING_STOP.exec(chunk)?.index ?? chunk.length
    const at = Math.min(stop, from + MAX_SEQUENCE_UNITS - pending.length)
    pending += chunk.slice(from, at)
    if (at === chunk.length || pending.length === MAX_SEQUENCE_UNITS) return at
    const unit = chunk.charAt(at)
    const isBell = unit === '\u0007'
    if (unit === '\u001B') state = 'string-escape'
    else if (unit === '\u009C' || (isBell && state === 'osc')) toText('')
    else if (isBell) pending += unit
    else {
      toText(pending)
      return at
    }
    return at + 1
  }

  const readStringEscape = (chunk: string, from: number): number => {
    if (chunk.charAt(from) === '\\') {
      toText('')
      return from + 1
    }
    toText(pending)
    pending = '\u001B'
    state = 'escape'
    return from
  }

  const readers: Record<State, (chunk: string, from: number) => number> = {
    text: readText,
    escape: readEscape,
    intermediate: readEscape,
    csi: readCsi,
    osc: readString,
    string: readString,
    'string-escape': readStringEscape,
  }

  const takeOut = (): string => {
    const taken = out
    out = ''
    return taken
  }

  return {
    push: (chunk) => {
      let at = 0
      while (at < chunk.length) {
        if (pending.length >= MAX_SEQUENCE_UNITS) toText(pending)
        at = readers[state](chunk, at)
      }
      return takeOut()
    },
    end: () => {
      toText(state === 'string-escape' ? `${pending}\u001B` : pending)
      return takeOut()
    },
  }
}
