import { oneOf, optional } from '../../schema/schema.ts'

const REASONS = ['max_results', 'max_results_per_file', 'max_output_bytes', 'max_entries'] as const

/** Which limit cut a list. */
export type CutReason = (typeof REASONS)[number]

/** The field of a result that says so. */
export const cutReason = optional(oneOf(REASONS, 'If there are more, which limit cut the list'))

/** The fields of a result about its end; what does not fit is left out after what was not found. */
export function describeCut(
  cutBy: CutReason | null,
  isShortened: boolean,
): { readonly truncated: boolean; readonly truncated_reason?: CutReason } {
  const reason = isShortened ? 'max_output_bytes' : cutBy
  return reason === null ? { truncated: false } : { truncated: true, truncated_reason: reason }
}
