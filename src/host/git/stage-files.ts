import { relative } from 'node:path'
import { runGit } from './run-git.ts'
import type { GitRepository } from './run-git.ts'

/** Adds changed and removed files to the index of their repository. Returns what could not be staged, and why. */
export async function stageFiles(
  repository: GitRepository,
  paths: readonly string[],
): Promise<readonly string[]> {
  const names = paths.map((path) => relative(repository.folder, path))
  const filtered = await findFiltered(repository, names)
  if (typeof filtered === 'string') return [`nothing was staged: ${filtered}`]
  const plain = names.filter((name) => !filtered.has(name))
  const faults = [...filtered].map(
    (name) =>
      `${name} was not staged: the repository configures a filter program for it, and such programs are not run`,
  )
  if (plain.length === 0) return faults
  const instead = await findNoFilters(repository)
  if (typeof instead === 'string') return [...faults, `nothing was staged: ${instead}`]
  const added = await runGit({ ...repository, instead }, ['add', '--all', '--', ...plain])
  return added.ok ? faults : [...faults, `${plain.join(', ')} could not be staged: ${added.why}`]
}

/** Names whose attributes ask for a filter; staging them would run a program from the repository's configuration. */
async function findFiltered(
  repository: GitRepository,
  names: readonly string[],
): Promise<ReadonlySet<string> | string> {
  const end = await runGit(
    repository,
    ['check-attr', '-z', '--stdin', 'filter'],
    names.map((name) => `${name}\0`).join(''),
  )
  if (!end.ok) return end.why
  const found = new Set<string>()
  const fields = end.stdout.split('\0')
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const value = fields[at + 2]
    if (value !== 'unspecified' && value !== 'unset') found.add(fields[at] ?? '')
  }
  return found
}

/**
 * Settings without a program for any filter of the repository. Git compares other files as well when it writes the index,
 * namely those that may have changed right after they were staged, and attributes may change after they were asked for.
 */
async function findNoFilters(
  repository: GitRepository,
): Promise<readonly (readonly [string, string])[] | string> {
  const end = await runGit(repository, ['config', '-z', '--name-only', '--list'])
  if (!end.ok) return end.why
  const filters = end.stdout
    .split('\0')
    .filter((name) => name.startsWith('filter.') && name.lastIndexOf('.') >= 'filter.'.length)
    .map((name) => name.slice(0, name.lastIndexOf('.')))
  return [...new Set(filters)].flatMap((filter) => [
    [`${filter}.clean`, ''],
    [`${filter}.smudge`, ''],
    [`${filter}.process`, ''],
    [`${filter}.required`, 'false'],
  ])
}
