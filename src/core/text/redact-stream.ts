import { redactSecrets } from './redact.ts'

/** Text that comes in pieces, given back redacted; a secret that two pieces share is found all the same. */
export interface RedactingStream {
  /** What can be shown by now; the rest waits for what follows it. */
  readonly push: (text: string) => string
  /** What was held back. */
  readonly end: () => string
}

/** A line longer than this is cut: nothing that is looked for is so long. */
const MOST_HELD = 65_536
/** What stays behind of such a line, so that a secret across the cut is whole in one of the two parts. */
const OVERLAP = 4_096
const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g
const KEY_ENDS = '-----END '

/** Redacts by whole lines, since what is looked for ends with its line; only a private key goes over several. */
export function createRedactingStream(known: readonly string[]): RedactingStream {
  const longest = known.reduce((most, value) => Math.max(most, value.length), 0)
  const hasLines = known.some((value) => value.includes('\n'))
  let held = ''
  const take = (end: number): string => {
    const ready = held.slice(0, end)
    held = held.slice(end)
    return redactSecrets(ready, known)
  }
  return {
    push(text) {
      held += text
      const line = held.lastIndexOf('\n', hasLines ? Math.max(0, held.length - longest) : held.length) + 1
      const key = findOpenKey(held)
      const whole = Math.min(line, key)
      if (whole > 0) return take(whole)
      if (held.length <= MOST_HELD) return ''
      return take(lastBreak(held, held.length - Math.max(OVERLAP, longest)))
    },
    end: () => take(held.length),
  }
}

/** Where a private key begins whose end has not come yet; what is longer than a key is none. */
function findOpenKey(text: string): number {
  const from = Math.max(0, text.length - MOST_HELD)
  let open = Infinity
  for (const { index } of text.slice(from).matchAll(KEY_BEGINS)) {
    if (!text.includes(KEY_ENDS, from + index)) {
      open = from + index
      break
    }
  }
  return open
}

/** The last blank before a place, if one is near, since no secret reaches over it. */
function lastBreak(text: string, before: number): number {
  const blank = text.lastIndexOf(' ', before)
  return blank > before - OVERLAP ? blank + 1 : before
}
