import { failure } from '../core/error.ts'
import { byteLength } from '../core/text/truncate.ts'

/** Drops rows from the end until the result, as JSON, fits; `isCut` tells whether rows are missing already. */
export function fitList<Row, Result>(
  rows: readonly Row[],
  maxBytes: number,
  isCut: boolean,
  shape: (rows: readonly Row[], truncated: boolean) => Result,
): Result {
  const whole = shape(rows, isCut)
  if (byteLength(JSON.stringify(whole)) <= maxBytes) return whole
  let bytes = byteLength(JSON.stringify(shape([], true)))
  if (bytes > maxBytes || rows.length === 0) {
    const message = `output budget too small: ${maxBytes} bytes cannot hold even an empty list`
    const next = 'Raise tools.output.max_bytes, or make room in the conversation.'
    throw failure('execution_failed', message, { max_output_bytes: maxBytes }, [next])
  }
  let count = 0
  for (const row of rows) {
    bytes += byteLength(JSON.stringify(row)) + (count === 0 ? 0 : 1)
    if (bytes > maxBytes) break
    count++
  }
  return shape(rows.slice(0, count), true)
}
