import { showPath } from '../../core/text/display/show-path.ts'

/** Says which files of `--except` the calls did not change. */
export function describeUnknown(names: readonly string[]): string {
  return `Nothing was changed: these calls did not change ${names.map(showPath).join(', ')}, or it is undone already.`
}

/** Says which files cannot be merged, and what to do about them. */
export function describeRefusals(refusals: readonly string[]): string {
  return `Cannot merge ${refusals.join('; ')}. Nothing was changed. --except FILE leaves a file as it is.`
}

/** Several remarks as one; null if there is none. */
export function joinRemarks(...remarks: readonly (string | null)[]): string | null {
  const said = remarks.filter((remark) => remark !== null)
  return said.length === 0 ? null : said.join('; ')
}

/** How many files are named. */
const NAMED = 5

/** Says which files do not belong to whom they belonged. */
export function describeForeign(names: readonly string[]): string | null {
  if (names.length === 0) return null
  const named = names.slice(0, NAMED).map(showPath).join(', ')
  if (names.length === 1) return `${named} belongs to you now; only root can preserve its owner`
  const others = names.length > NAMED ? ` and ${names.length - NAMED} more` : ''
  return `${named}${others} belong to you now; only root can preserve their owners`
}
