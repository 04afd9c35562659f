const BASE = 'https://tides.example/v2'

/** The address of the tides at a harbour on a day, such as 2026-05-01. */
export function addressOf(harbour, day) {
  return `${BASE}/tides?harbour=${encodeURIComponent(harbour)}&day=${day}`
}

/** The headers of a request. */
export function headersFor(key) {
  return { accept: 'application/json', 'x-api-key': key }
}

/** The tides in an answer: when, whether it is high water, and the height in metres. */
export function readTides(answer) {
  return answer.tides.map(({ at, kind, height }) => ({
    at: new Date(at),
    isHigh: kind === 'high',
    metres: height,
  }))
}
