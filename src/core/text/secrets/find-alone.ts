import { carriesWords } from './encoded-text.ts'
import { findKeyBodies, findPrivateKeys } from './find-private-keys.ts'
import { findRandom } from './find-random.ts'
import { findIssued, WEB_TOKEN } from './issued-formats.ts'
import { isUnreadable, mayHoldVaried } from './looks.ts'
import { standsForPlace } from './stands-for-place.ts'
import type { Span } from './span.ts'

/** An address of which the secret is a part, such as a webhook: its host, and what says whose it is. */
const OWN_HOST =
  /^(?:[\w-]+\.)+[a-z]+\/(?:(?:services|workflows)\/\w+\/\w+\/|api\/webhooks\/\d+\/|webhookb2\/[^/]+\/|(?:file\/)?bot\d+:)?/

/** A value that could also be the name of something. */
export interface Nameable extends Span {
  /** Where the value begins if only its end is hidden. */
  readonly from: number
}

/** Values of a known format, or random by their own characters, that could also be names. */
export const findNameable = (text: string): readonly Nameable[] =>
  COULD_HOLD.test(text) && mayHoldVaried(text) ? nameableAmong(text, findIssued(text)) : []

/** The shortest value that is hidden has so many of these in a row. */
const COULD_HOLD = /[\w-]{11}/

/**
 * Values that are secrets by themselves: of a known format, or random by their own characters. What stands before one never
 * decides, because it is chosen by whoever wants the call; so does nothing that can be read, that encodes what can be read, or
 * that names something here or elsewhere in the text.
 */
export const findAlone = (text: string): readonly Span[] => {
  const issued = findIssued(text)
  return [
    ...nameableAmong(text, issued),
    ...[
      ...issued.flatMap((span) => behindOwnHost(text, span)),
      ...findPrivateKeys(text, true),
      ...findKeyBodies(text),
    ].filter((span) => !carriesWords(text.slice(span.start, span.end))),
  ]
}

const nameableAmong = (text: string, issued: readonly Span[]): readonly Nameable[] => {
  const valueOf = ({ start, end }: Span): string => text.slice(start, end)
  const values = [...issued.filter((span) => !OWN_HOST.test(valueOf(span))), ...findRandom(text)]
  const places = new Set(values.filter((span) => standsForPlace(text, span)).map(valueOf))
  return values
    .filter((span) => !places.has(valueOf(span)) && isUnreadable(valueOf(span)))
    .flatMap((span) =>
      (span.kind === WEB_TOKEN ? signatureOf(text, span) : [span]).map((hidden) => ({
        ...hidden,
        from: span.start,
      })),
    )
    .filter((span) => !carriesWords(valueOf(span)))
}

/** Shorter ones sign nothing. */
const MIN_SIGNATURE_CHARS = 16

/** The last part of a web token, without which it proves nothing. What the others say can be read. */
const signatureOf = (text: string, { start, end, kind }: Span): readonly Span[] => {
  const from = start + text.slice(start, end).lastIndexOf('.') + 1
  return end - from < MIN_SIGNATURE_CHARS ? [] : [{ start: from, end, kind }]
}

/** The secret of such an address; without a scheme it may be the name of a file. */
const behindOwnHost = (text: string, { start, end, kind }: Span): readonly Span[] => {
  const [host = ''] = OWN_HOST.exec(text.slice(start, end)) ?? []
  const isAddress = host !== '' && host.length < end - start && text.startsWith('://', start - 3)
  return isAddress ? [{ start: start + host.length, end, kind }] : []
}
