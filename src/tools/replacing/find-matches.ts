import type { Settings } from '../../config/keys.ts'
import { failure } from '../../core/error.ts'
import type { Files } from '../../core/powers.ts'
import { KINDS } from '../finding/ignore-level.ts'
import { createIgnoreNotes, MAX_IGNORE_BYTES } from '../finding/ignore-notes.ts'
import { createSearchScope } from '../finding/search-scope.ts'
import { withCrlf } from '../edits/line-endings.ts'
import { collectPlaces, findText, isWholeWord } from './find-places.ts'
import type { FoundPlaces } from './find-places.ts'
import { surveyScope } from './survey-scope.ts'
import type { SkippedFile } from './survey-scope.ts'

/** What is to be replaced, and where. */
export interface Wanted {
  readonly old: string
  readonly paths: readonly string[]
  readonly is_regex?: boolean
  readonly whole_word?: boolean
  readonly case_sensitive?: boolean
}

/** The regular expression to match, with the ends of words if whole words are wanted. */
export function patternOf({ old, whole_word }: Wanted): string {
  return whole_word === true ? `\\b(?:${old})\\b` : old
}

/** The files with matches, and those that the paths name but that cannot be changed. */
export async function findMatches(
  wanted: Wanted,
  {
    files,
    settings,
    signal,
  }: { readonly files: Files; readonly settings: Settings; readonly signal: AbortSignal },
): Promise<{ readonly matches: readonly FoundPlaces[]; readonly skipped: readonly SkippedFile[] }> {
  const patterns = settings['tools.ignore.patterns']
  const notes = createIgnoreNotes()
  const maxEntries = settings['tools.walk.max_entries']
  const budget = { left: maxEntries }
  const scope = createSearchScope({ files, patterns, notes, budget }, wanted.paths, [])
  const maxFileBytes = Math.min(
    settings['tools.search.max_file_bytes'],
    settings['tools.edit.max_file_bytes'],
  )
  const survey = await surveyScope(files, scope, { budget, patterns, signal, notes }, maxFileBytes)
  refuseIfCut(budget, maxEntries)
  const isRegex = wanted.is_regex === true
  const isLines = /[\n\r]/.test(wanted.old)
  const query = isLines ? longestLine(wanted.old) : isRegex ? patternOf(wanted) : wanted.old
  const maxFiles = settings['tools.edit.max_tree_files']
  const places = collectPlaces({
    includes: scope.includes,
    maxFiles,
    onTooMany: () => {
      const message = `More files match than tools.edit.max_tree_files allows, which is ${maxFiles}.`
      throw failure('limit_exceeded', message, { limit: maxFiles }, ['Name fewer files at a time.'])
    },
    isWanted: wanted.whole_word === true && !isRegex ? isWholeWord : () => true,
    findAll: isLines ? (bytes) => findLines(bytes, wanted.old) : null,
  })
  const request = {
    query,
    isRegex,
    isCaseSensitive: wanted.case_sensitive !== false,
    starts: scope.starts.map(({ path }) => path),
    without: scope.without,
    only: scope.only,
    withHidden: scope.withHidden,
    withBinary: true,
    ignoreFiles: { names: KINDS, maxBytes: MAX_IGNORE_BYTES },
    maxFileBytes,
    maxLinesPerFile: isLines ? 1 : Number.MAX_SAFE_INTEGER,
    // The search program reports no match of an empty line.
    isBuiltIn: query === '' || settings['tools.search.engine'] === 'built_in',
    signal,
    eachFile: async (visit: (path: string) => Promise<boolean>): Promise<void> => {
      for (const path of survey.paths) if (!(await visit(path))) return
    },
  }
  await files.search(request, places.visitor)
  refuseIfCut(budget, maxEntries)
  const binary = places.binary().map((path) => ({ path, why: 'it is binary, or not encoded in UTF-8' }))
  return { matches: places.found(), skipped: [...survey.skipped, ...binary] }
}

/** Refuses a scope that was not seen completely, because part of it would look like all. */
function refuseIfCut(budget: { readonly left: number }, maxEntries: number): void {
  if (budget.left >= 0) return
  const message = `There are more names below these paths than tools.walk.max_entries allows, which is ${maxEntries}; one that many long ignore patterns are held against counts as several. Nothing was changed.`
  throw failure('limit_exceeded', message, { limit: maxEntries }, ['Name smaller folders, one at a time.'])
}

/** Models write LF, and a file with CRLF throughout means the same. */
function findLines(bytes: Uint8Array, old: string): FoundPlaces['places'] {
  const found = findText(bytes, old)
  return found.length > 0 ? found : findText(bytes, withCrlf(old))
}

function longestLine(text: string): string {
  const lines = text.split(/\r?\n/)
  return lines.reduce((longest, line) => (line.length > longest.length ? line : longest), '')
}
