import { chooseOfEach } from '../../core/text/choose-of-each.ts'
import { removeSequences } from '../../core/text/display/escape-sequences.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { quotePath } from '../../core/text/display/show-path.ts'

/** What the text about a command is made from; all of it is optional in results. */
export interface ShownProcess {
  readonly stdout?: string
  readonly stderr?: string
  readonly exit_code?: number | null
  readonly signal?: string | null
  readonly output?: string
  readonly output_note?: string
  readonly wanted?: string
  readonly grant?: unknown
  readonly left_for_git?: readonly string[]
  readonly changes?: readonly { readonly path: string; readonly change: string; readonly from?: string }[]
  readonly changes_total?: number
  readonly left_out?: readonly { readonly path: string; readonly why?: string }[]
  readonly notes?: readonly string[]
  readonly would_run?: readonly string[]
  readonly dry_run?: boolean
  readonly diff?: string
}

/** More changed files than this are only counted. */
const MAX_CHANGES = 20

/** The output of a command as it is, without terminal sequences, and what is worth knowing about its end. */
export function renderProcess(result: ShownProcess): string {
  if (result.would_run !== undefined) return `dry run: would run ${JSON.stringify(result.would_run)}`
  const parts = [...streamsOf(result), ...factsOf(result)]
  return parts.length === 0 ? '[no output]' : parts.join('\n')
}

function streamsOf({ stdout = '', stderr = '' }: ShownProcess): readonly string[] {
  const out = trimEnd(removeSequences(stdout))
  const err = trimEnd(removeSequences(stderr))
  if (err === '') return out === '' ? [] : [out]
  return out === '' ? [err] : [out, '[stderr]', err]
}

/** A blank line at the end says nothing. */
function trimEnd(text: string): string {
  let end = text.length
  while (text[end - 1] === '\n') end -= text[end - 2] === '\r' ? 2 : 1
  return text.slice(0, end)
}

/** What is worth knowing about a command besides its output, one sentence in a line. */
export function factsOf(result: ShownProcess): readonly string[] {
  const {
    exit_code: code,
    signal,
    output,
    output_note,
    wanted,
    left_for_git = [],
    left_out = [],
    notes = [],
  } = result
  return [
    ...(typeof signal === 'string' ? [`ended by ${signal}`] : []),
    ...(typeof code === 'number' && code !== 0 ? [`exit code ${code}`] : []),
    ...(output === undefined ? [] : [`all of the output: read_file ${output}, with start_line and end_line`]),
    ...(output_note === undefined ? [] : [output_note]),
    ...describeChanges(result),
    ...left_out.flatMap(({ path, why }) =>
      why === undefined ? [] : [`${quotePath(path)} was left out: ${why}`],
    ),
    ...(wanted === undefined ? [] : [wanted]),
    ...(isGrant(result.grant) ? [`to ask for it, add ${JSON.stringify(result.grant)} to the call`] : []),
    ...left_for_git,
    ...notes,
  ].map((fact) => `[${fact}]`)
}

function isGrant(grant: unknown): grant is JsonObject {
  return typeof grant === 'object' && grant !== null && Object.keys(grant).length > 0
}

/** Folders of files that vanish only because the folder that held them was moved or removed; no one acts on that. */
const CACHES =
  /(?:^|\/)(?:__pycache__|\.(?:pytest_|mypy_|ruff_|parcel-)cache|\.nyc_output|\.turbo|\.vite|node_modules\/\.(?:cache|vite|vite-temp|vitest))\//

function describeChanges(result: ShownProcess): readonly string[] {
  const { changes: all = [], changes_total: total = all.length, dry_run, diff } = result
  const leaving = new Set(all.flatMap(({ from }) => from ?? []))
  const changes = all.filter(
    ({ path, change }) => change !== 'deleted' || !(CACHES.test(path) || leaving.has(path)),
  )
  if (changes.length === 0) return []
  const named = new Set(
    chooseOfEach(changes, MAX_CHANGES, ({ change, from }) => (from === undefined ? change : 'moved')),
  )
  const shown = [...named].map(({ path, change, from }) =>
    from === undefined ? `${change} ${quotePath(path)}` : `moved ${quotePath(from)} to ${quotePath(path)}`,
  )
  const left = total - (all.length - changes.length) - shown.length
  const where = foldersOf(
    changes.filter((one) => !named.has(one)),
    total > all.length,
  )
  const list = `${shown.join(', ')}${left > 0 ? ` and ${left} more${where}; list_files shows what is there` : ''}`
  if (dry_run !== true) return [list]
  return [`dry run, nothing was kept: ${list}`, ...(diff === undefined || diff === '' ? [] : [`\n${diff}`])]
}

/** The most folders that are named. */
const MAX_FOLDERS = 5

/** In which folders at the top files are, as words; there are more files if the list was cut. */
function foldersOf(files: readonly { readonly path: string }[], isCut: boolean): string {
  const folders = [
    ...new Set(files.map(({ path }) => (path.includes('/') ? path.replace(/\/.*/s, '') : '.'))),
  ]
  if (folders.length === 0) return ''
  const further = folders.length - MAX_FOLDERS
  const others = isCut ? ' and maybe other folders' : further > 0 ? ` and ${further} other folders` : ''
  return ` in ${folders.slice(0, MAX_FOLDERS).map(quotePath).join(', ')}${others}`
}
