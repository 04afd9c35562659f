import { boundedFetch } from '../host/web/bounded-fetch.ts'

/** Of one event, or of what explains why there is no answer. */
const MOST_EVENT_BYTES = 8 * 1024 ** 2
/** Of all events of an answer: some servers write hundreds of bytes around each word, for a hundred thousand words and more. */
const MOST_STREAM_BYTES = 256 * 1024 ** 2

/**
 * Fetches an answer of a model, of which only so much is read. Redirects are refused: a key header would follow them to
 * another host.
 */
export const fetchAnswer: typeof fetch = (input, init) =>
  boundedFetch(input, init, {
    // Some servers give a stream of events another type.
    isStream: ({ ok }) => ok,
    mostBytes: MOST_EVENT_BYTES,
    mostInAll: MOST_STREAM_BYTES,
  })
