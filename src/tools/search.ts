import { settingsOf } from '../config/keys.ts'
import { defineTool } from './define/define-tool.ts'
import type { Files } from '../core/powers.ts'
import { array, boolean, integer, object, oneOf, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { collectFiles } from './finding/collect-files.ts'
import { collectMatches } from './finding/collect-matches.ts'
import { cutReason, describeCut } from './finding/cut-reason.ts'
import { readingTool } from './define/tool-families.ts'
import { fitList } from './reading/fit-list.ts'
import { claimPatterns, findPatternFault } from './finding/path-patterns.ts'
import { createSearchScope, moveFilter } from './finding/search-scope.ts'
import { eachFile } from './finding/each-file.ts'
import { createIgnoreNotes, MAX_IGNORE_BYTES } from './finding/ignore-notes.ts'
import { ignoreNotes } from './finding/found-files.ts'
import { KINDS } from './finding/ignore-level.ts'
import { renderMatches } from './rendering/match-lines.ts'

/** Each file is compared with each of them. */
const MAX_PATHS = 100
/** To see more, read_file is the better call. */
const MAX_CONTEXT_LINES = 50
const filter = string(
  'A path, or a glob such as src/**/*.ts; a glob without a slash, such as *.ts, holds at any depth',
  { minLength: 1 },
)

const excluded = string('A path or glob', { minLength: 1 })

const input = object(
  {
    query: string('The text to find within a line', {
      minLength: 1,
      maxLength: 4_096,
    }),
    is_regex: optional(
      boolean('Whether it is a regular expression, without look-around and back-references', {
        default: false,
      }),
    ),
    case_sensitive: optional(boolean('Whether case counts', { default: false })),
    include_paths: optional(array(filter, 'Search only these files and folders', { maxItems: MAX_PATHS })),
    exclude_paths: optional(array(excluded, 'Leave these files and folders out', { maxItems: MAX_PATHS })),
    max_results: optional(integer('At most this many', { minimum: 1, maximum: 100_000 })),
    mode: optional(
      oneOf(['lines', 'files', 'counts'], 'lines (the default), only the files, or a count for each file'),
    ),
    include_context: optional(
      integer('Lines to show before and after each match', { minimum: 0, maximum: MAX_CONTEXT_LINES }),
    ),
  },
  'What to search for, and where',
)

const match = object(
  {
    path: string('Path relative to the root, with forward slashes'),
    line: integer('Line of the match, from 1'),
    column: integer('Column where it begins, in characters from 1'),
    match_text: string('What matched'),
    before: string('The line before the match'),
    after: string('The line after the match'),
    cut: optional(boolean('True if the line is too long to be shown in full')),
    context: optional(
      array(
        object(
          {
            line: integer('Its number, from 1'),
            text: string('The line'),
            cut: optional(boolean('True if it is too long to be shown in full')),
          },
          'A line',
        ),
        'With include_context: the lines around it, without those that an earlier match has',
      ),
    ),
  },
  'One match',
)

const output = object(
  {
    matches: array(match, 'The matches, sorted by path, line and column'),
    files: optional(array(string('Path relative to the root'), 'In mode files: the files with a match')),
    counts: optional(
      array(
        object(
          { path: string('Path relative to the root'), matches: integer('How many matches it has') },
          'One file',
        ),
        'In mode counts: the matches of each file',
      ),
    ),
    truncated: boolean('Whether there are more'),
    truncated_reason: cutReason,
    notes: ignoreNotes,
  },
  'What was found',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>

/** Searches text in files. */
export const search = defineTool({
  name: 'search',
  version: '1.0.0',
  description:
    'Search files for text or a regular expression; binary, very large, hidden and ignored files are left out',
  ...readingTool,
  input,
  output,
  rare: ['exclude_paths', 'max_results'],
  slips: {
    names: {
      pattern: 'query',
      regex: 'query',
      path: 'include_paths',
      paths: 'include_paths',
      glob: 'include_paths',
      include: 'include_paths',
      exclude: 'exclude_paths',
      output_mode: 'mode',
      context: 'include_context',
      context_lines: 'include_context',
      '-C': 'include_context',
    },
    tool: ['grep', 'rg', 'ripgrep', 'search_files', 'grep_search', 'code_search'],
  },
  check: findArgumentFault,
  claims: ({ include_paths = [], exclude_paths = [] }) => [
    { path: '.', intent: 'list' },
    ...claimPatterns(include_paths),
    ...claimPatterns(exclude_paths),
  ],
  rebase: ({ include_paths = ['.'], exclude_paths = [], ...args }, move) => ({
    ...args,
    include_paths: include_paths.map((path) => moveFilter(path, move)),
    ...(exclude_paths.length === 0
      ? {}
      : { exclude_paths: exclude_paths.map((path) => moveFilter(path, move)) }),
  }),
  summary: ({ query, include_paths = [] }) =>
    `Search for ${query}${include_paths.length === 0 ? '' : ` in ${include_paths.join(', ')}`}`,
  present: { text: renderMatches, mayTruncate: false },
  async run(args, { files, settings: view, maxOutputBytes, signal, emit }): Promise<Result> {
    const settings = settingsOf(view)
    const { include_paths = [], exclude_paths = [] } = args
    const patterns = settings['tools.ignore.patterns']
    const notes = createIgnoreNotes()
    const budget = { left: settings['tools.walk.max_entries'] }
    const scope = createSearchScope({ files, patterns, notes, budget }, include_paths, exclude_paths)
    const maxResults = args.max_results ?? settings['tools.search.max_results']
    const { mode = 'lines' } = args
    const say = (text: string): void => emit('stderr', text)
    const found =
      mode === 'lines'
        ? collectMatches(
            {
              maxResults,
              maxPerFile: settings['tools.search.max_results_per_file'],
              maxChars: settings['tools.search.max_line_chars'],
              maxBytes: maxOutputBytes,
              contextLines: args.include_context ?? 0,
            },
            scope.includes,
            say,
          )
        : null
    const counted = collectFiles({ maxFiles: maxResults, areCounted: mode === 'counts' }, scope.includes, say)
    const request = {
      query: args.query,
      isRegex: args.is_regex === true,
      isCaseSensitive: args.case_sensitive === true,
      starts: scope.starts.map(({ path }) => path),
      without: scope.without,
      only: scope.only,
      withHidden: scope.withHidden,
      ignoreFiles: { names: KINDS, maxBytes: MAX_IGNORE_BYTES },
      maxFileBytes: settings['tools.search.max_file_bytes'],
      // One more than is shown reveals that there are more.
      maxLinesPerFile:
        mode === 'counts'
          ? Number.MAX_SAFE_INTEGER
          : mode === 'files'
            ? 1
            : settings['tools.search.max_results_per_file'] + 1,
      isBuiltIn: settings['tools.search.engine'] === 'built_in',
      signal,
      eachFile: (visit: (path: string) => Promise<boolean>) =>
        eachFile(files, scope, { budget, patterns, signal, notes }, visit),
    }
    await files.search(request, (found ?? counted).visitor)
    const cutBy = budget.left < 0 ? 'max_entries' : (found ?? counted).cutBy()
    const ended = (isShortened: boolean) => ({ ...describeCut(cutBy, isShortened), ...notes.field() })
    if (found !== null)
      return noteShown(
        fitList(found.ordered(), maxOutputBytes, (matches, isShortened) => ({
          matches,
          ...ended(isShortened),
        })),
        settings['tools.search.counts_as_read'] ? files : null,
      )
    return fitList(counted.ordered(), maxOutputBytes, (rows, isShortened) => ({
      matches: [],
      ...(mode === 'counts' ? { counts: rows } : { files: rows.map(({ path }) => path) }),
      ...ended(isShortened),
    }))
  },
})

/** Notes which lines the result shows whole, so that they can be edited. */
function noteShown(result: Result, files: Files | null): Result {
  if (files === null) return result
  for (const [path, rows] of Map.groupBy(result.matches, (row) => row.path)) {
    const lines = rows.flatMap(({ line, before, match_text, after, cut, context = [] }) => [
      { line, text: before + match_text + after, cut },
      ...context,
    ])
    files.sawLines(
      path,
      lines.filter(({ cut }) => cut !== true),
    )
  }
  return result
}

function findArgumentFault({ query, include_paths = [], exclude_paths = [] }: Args): string | null {
  if (/[\n\r]/.test(query))
    return 'query contains a line break, and matches are within one line; search for one of its lines'
  if (!query.isWellFormed() || query.includes('\0'))
    return 'query contains half a character (a lone surrogate) or a NUL, which no text file contains; leave it out'
  return findPatternFault('include_paths', include_paths) ?? findPatternFault('exclude_paths', exclude_paths)
}
