import { boolean, optional } from '../../schema/schema.ts'
import { byteLength } from '../../core/text/truncate.ts'

/** The field of a result that says that its diff was cut. */
export const diffCutMark = optional(boolean('Whether the diff was cut to fit'))

/** Cuts the diff of a result at a line boundary until the result fits as JSON; `truncated` then says so. */
export function fitDiff<Field extends string, R extends { readonly [Key in Field]?: string }>(
  result: R,
  field: Field,
  maxBytes: number,
): R & { readonly truncated?: boolean } {
  const isFitting = (made: R): boolean => byteLength(JSON.stringify(made)) <= maxBytes
  const diff = result[field]
  if (diff === undefined || isFitting(result)) return result
  const whole = diff.slice(0, maxBytes)
  const cut = (units: number): R & { readonly truncated: boolean } => ({
    ...result,
    [field]: whole.slice(0, whole.lastIndexOf('\n', units - 1) + 1),
    truncated: true,
  })
  let fits = 0
  let tooMany = whole.length + 1
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (isFitting(cut(middle))) fits = middle
    else tooMany = middle
  }
  return cut(fits)
}
