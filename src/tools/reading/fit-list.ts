import { failure } from '../../core/error.ts'
import { byteLength } from '../../core/text/truncate.ts'

/** Drops rows from the end until the result fits as JSON; `shape` is told whether any were dropped. */
export function fitList<Row, Result>(
  rows: readonly Row[],
  maxBytes: number,
  shape: (rows: readonly Row[], isShortened: boolean) => Result,
): Result {
  const whole = shape(rows, false)
  if (jsonBytes(whole) <= maxBytes) return whole
  let bytes = jsonBytes(shape([], true))
  if (bytes > maxBytes || rows.length === 0) {
    const message = `output budget too small: ${maxBytes} bytes cannot hold even an empty list`
    const next = 'Raise tools.output.max_bytes, or make room in the conversation.'
    throw failure('execution_failed', message, { max_output_bytes: maxBytes }, [next])
  }
  let count = 0
  for (const row of rows) {
    bytes += jsonBytes(row) + (count === 0 ? 0 : 1)
    if (bytes > maxBytes) break
    count++
  }
  // Fields about the rows, such as their number, may have grown with them.
  let fitted = shape(rows.slice(0, count), true)
  while (count > 0 && jsonBytes(fitted) > maxBytes) fitted = shape(rows.slice(0, --count), true)
  return fitted
}

function jsonBytes(value: unknown): number {
  return byteLength(JSON.stringify(value))
}
