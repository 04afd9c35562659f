import { showPath } from '../../core/text/display/show-path.ts'

/** Says which files of `--except` the calls did not change. */
export function describeUnknown(names: readonly string[]): string {
  return `Nothing was changed: these calls did not change ${names.map(showPath).join(', ')}, or it is undone already.`
}

/** Says which files cannot be merged, and what to do about them. */
export function describeRefusals(refusals: readonly string[]): string {
  return `Cannot merge ${refusals.join('; ')}. Nothing was changed. --except FILE leaves a file as it is.`
}

/** Says what stays of merged files; each is a name and what it keeps. */
export function describeKept(kept: readonly string[]): string {
  return `${kept.join('; ')}: what these calls did to that is not on record any more`
}

/** Says that a folder would become a repository of git, and what to do about it. */
export function describeRepository(folder: string, kind: 'undo' | 'redo'): string {
  const wayOn =
    kind === 'undo'
      ? 'Look at what is there and remove it first, or leave out what makes it one with --except FILE.'
      : 'Look at what is there and remove it first.'
  return `${showPath(folder)} would become a git repository, whose configuration git obeys, with files that were written there since. Nothing was changed. ${wayOn}`
}

/** Says what git obeys or runs of the files that are put in place; a redo of such a file is refused. */
export function describeObeyed(
  found: readonly { readonly name: string; readonly why: string }[],
  kind: 'undo' | 'redo',
): string | null {
  if (found.length === 0) return null
  const named = found.slice(0, NAMED).map(({ name, why }) => `${showPath(name)} (${why})`)
  const others = found.length > NAMED ? ` and ${found.length - NAMED} more` : ''
  const what = `${named.join(', ')}${others}`
  return kind === 'undo'
    ? `git obeys or runs by now: ${what}`
    : `By now, git would obey or run ${what}. Nothing was changed. Change the configuration of git first.`
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
