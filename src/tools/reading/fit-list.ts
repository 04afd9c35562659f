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
  if (jsonBytes(shape([], true)) > maxBytes || rows.length === 0) {
    const message = `output budget too small: ${maxBytes} bytes cannot hold even an empty list`
    const next = 'Raise tools.output.max_bytes, or make room in the conversation.'
    throw failure('execution_failed', message, { max_output_bytes: maxBytes }, [next])
  }
  // What a row takes depends on the shape, so whole results are measured; each is half as far off as the one before.
  let fits = 0
  let tooMany = rows.length
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (jsonBytes(shape(rows.slice(0, middle), true)) <= maxBytes) fits = middle
    else tooMany = middle
  }
  return shape(rows.slice(0, fits), true)
}

function jsonBytes(value: unknown): number {
  return byteLength(JSON.stringify(value))
}
