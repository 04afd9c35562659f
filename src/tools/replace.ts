import { Buffer } from 'node:buffer'
import { settingsOf } from '../config/keys.ts'
import type { Settings } from '../config/keys.ts'
import { failure, ToolFailure } from '../core/error.ts'
import type { Edits, Files } from '../core/powers.ts'
import { defineTool } from './define/define-tool.ts'
import { editingTool } from './define/tool-families.ts'
import { dryRunArgument, dryRunMark, isDryCall } from './edits/dry-run.ts'
import { diffCutMark, fitDiff } from './edits/fit-diff.ts'
import { takenPart } from './edits/taken-part.ts'
import { findDeniedFiles } from './replacing/find-denied.ts'
import { collectPlaces, findText, isWholeWord } from './replacing/find-places.ts'
import type { FoundPlaces } from './replacing/find-places.ts'
import { replacePlaces } from './replacing/replace-places.ts'
import { createIgnoreNotes, MAX_IGNORE_BYTES } from './finding/ignore-notes.ts'
import { KINDS } from './finding/ignore-level.ts'
import { claimPlainPaths, claimPatterns, findPatternFault } from './finding/path-patterns.ts'
import { createSearchScope, moveFilter } from './finding/search-scope.ts'
import { eachFile } from './finding/each-file.ts'
import { numbered, renderEdit } from './rendering/edit-text.ts'
import { array, boolean, integer, object, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'

const input = object(
  {
    old: string('The text to replace, or a regular expression', { minLength: 1, maxLength: 65_536 }),
    new: string('The text to put in its place; with is_regex, $1 and $<name> are groups and $$ is a dollar'),
    paths: array(
      string('A path or glob', { minLength: 1 }),
      'The files: paths, or globs such as src/**/*.ts',
      {
        minItems: 1,
        maxItems: 100,
      },
    ),
    is_regex: optional(
      boolean('Whether old is a regular expression, matched line by line', { default: false }),
    ),
    whole_word: optional(boolean('Leave out matches inside longer words', { default: false })),
    case_sensitive: optional(boolean('Whether case counts', { default: true })),
    expected_count: optional(integer('Refuse unless there are exactly this many matches', { minimum: 0 })),
    dry_run: dryRunArgument,
  },
  'What to replace, and where',
)

const output = object(
  {
    replaced: integer('How many matches were replaced'),
    files: array(
      object(
        { path: string('Relative to the root'), replaced: integer('How many matches were replaced in it') },
        'One file',
      ),
      'The files that changed, sorted by path',
    ),
    skipped: array(
      object({ path: string('Relative to the root'), why: string('Why') }, 'One file'),
      'Files that the paths name and that were left alone',
    ),
    dry_run: dryRunMark,
    diff: string('The change as a unified diff'),
    truncated: diffCutMark,
    ...takenPart,
  },
  'What was replaced',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>

/** Replaces a text in many files at once. */
export const replace = defineTool({
  name: 'replace',
  version: '1.0.0',
  description:
    'Replace a text or regular expression in all files that paths or globs name, in one undoable edit',
  guide: 'It suits renames; the files need not be read before.',
  ...editingTool,
  input,
  output,
  slips: {
    names: {
      old_string: 'old',
      old_str: 'old',
      old_text: 'old',
      new_string: 'new',
      new_str: 'new',
      new_text: 'new',
      query: 'old',
      replacement: 'new',
      path: 'paths',
      files: 'paths',
      glob: 'paths',
      file_path: 'paths',
      word: 'whole_word',
    },
    tool: ['sed', 'find_and_replace', 'replace_all', 'search_and_replace'],
  },
  rare: ['dry_run', 'case_sensitive'],
  check: findArgumentFault,
  claims: ({ paths }) => [...claimPatterns(paths), ...claimPlainPaths(paths)],
  rebase: (args, move) => ({ ...args, paths: args.paths.map((path) => moveFilter(path, move)) }),
  summary: (args) =>
    `Replace ${JSON.stringify(args.old)} by ${JSON.stringify(args.new)} in ${args.paths.join(', ')}`,
  present: { text: renderResult, mayTruncate: false },
  async run(args, context): Promise<Result> {
    const { files, edits, settings: view, signal, maxOutputBytes } = context
    const settings = settingsOf(view)
    const found = await findMatches(args, { files, settings, signal })
    const skipped = found.denied.map((path) => ({ path, why: 'its name is denied' }))
    const changed: { readonly path: string; readonly replaced: number }[] = []
    const pattern = args.is_regex === true ? args.old : ''
    for (const one of found.matches) {
      const why = await stage(one, { ...args, pattern, signal }, edits, files)
      if (why === null) changed.push({ path: one.path, replaced: one.places.length })
      else skipped.push({ path: one.path, why })
    }
    const replaced = changed.reduce((sum, one) => sum + one.replaced, 0)
    requireCount(args, replaced, changed, skipped)
    const result: Result = {
      replaced,
      files: changed,
      skipped,
      dry_run: isDryCall(args, context),
      diff: edits.diff(),
    }
    return fitDiff(result, 'diff', maxOutputBytes)
  },
})

function findArgumentFault({ old, new: text, paths, is_regex, case_sensitive }: Args): string | null {
  if (!old.isWellFormed() || !text.isWellFormed() || old.includes('\0'))
    return 'the text contains half a character (a lone surrogate) or a NUL, which no text file contains'
  if (is_regex === true && /[\n\r]/.test(old))
    return 'old contains a line break, and a regular expression is matched line by line; leave is_regex out'
  if (/[\n\r]/.test(old) && case_sensitive === false)
    return 'old contains a line break; leave case_sensitive out, or replace one line at a time'
  if (old === text && is_regex !== true) return 'old and new are the same, so nothing would change'
  return findPatternFault('paths', paths)
}

interface Finding {
  readonly files: Files
  readonly settings: Settings
  readonly signal: AbortSignal
}

/** The files with matches, and those that the paths name but nothing may read. */
async function findMatches(
  args: Args,
  { files, settings, signal }: Finding,
): Promise<{ readonly matches: readonly FoundPlaces[]; readonly denied: readonly string[] }> {
  const patterns = settings['tools.ignore.patterns']
  const notes = createIgnoreNotes()
  const scope = createSearchScope({ files, patterns, notes }, args.paths, [])
  const maxFiles = settings['tools.edit.max_tree_files']
  const places = collectPlaces(maxFiles, scope.includes, () => {
    const message = `More files match than tools.edit.max_tree_files allows, which is ${maxFiles}.`
    throw failure('limit_exceeded', message, { limit: maxFiles }, ['Name fewer files at a time.'])
  })
  const isRegex = args.is_regex === true
  const isLines = /[\n\r]/.test(args.old)
  const walk = { budget: { left: settings['tools.walk.max_entries'] }, patterns, signal, notes }
  const request = {
    query: isLines
      ? longestLine(args.old)
      : isRegex && args.whole_word === true
        ? `\\b(?:${args.old})\\b`
        : args.old,
    isRegex,
    isCaseSensitive: args.case_sensitive !== false,
    starts: scope.starts.map(({ path }) => path),
    without: scope.without,
    only: scope.only,
    withHidden: scope.withHidden,
    ignoreFiles: { names: KINDS, maxBytes: MAX_IGNORE_BYTES },
    maxFileBytes: Math.min(settings['tools.search.max_file_bytes'], settings['tools.edit.max_file_bytes']),
    maxLinesPerFile: Number.MAX_SAFE_INTEGER,
    isBuiltIn: settings['tools.search.engine'] === 'built_in',
    signal,
    eachFile: (visit: (path: string) => Promise<boolean>) => eachFile(files, scope, walk, visit),
  }
  await files.search(request, places.visitor)
  const matches = places
    .found()
    .map((one) => (isLines ? { ...one, places: findLines(one, args.old) } : one))
    .map((one) =>
      args.whole_word === true && !isRegex
        ? { ...one, places: one.places.filter((place) => isWholeWord(one.bytes, place)) }
        : one,
    )
    .filter(({ places: left }) => left.length > 0)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  return { matches, denied: await findDeniedFiles(files, scope, walk) }
}

/** A text of several lines; models write LF, and a file with CRLF throughout means the same. */
function findLines({ bytes }: FoundPlaces, old: string): FoundPlaces['places'] {
  const found = findText(bytes, old)
  return found.length > 0 ? found : findText(bytes, old.replaceAll(/\r?\n/g, '\r\n'))
}

function longestLine(text: string): string {
  const lines = text.split(/\r?\n/)
  return lines.reduce((longest, line) => (line.length > longest.length ? line : longest), '')
}

interface StagedArgs extends Args {
  readonly pattern: string
  readonly signal: AbortSignal
}

/** Stages the change of one file; returns why it was left alone, or null. */
async function stage(
  found: FoundPlaces,
  { old, new: text, pattern, is_regex, whole_word, case_sensitive, signal }: StagedArgs,
  edits: Edits,
  files: Files,
): Promise<string | null> {
  try {
    const now = edits.read(found.path)
    if (Buffer.compare(now, found.bytes) !== 0) return 'it changed while it was searched; call again'
    const isCrlf = old.includes('\n') && !old.includes('\r\n') && isInCrlf(found)
    const replacement = {
      pattern: whole_word === true ? `\\b(?:${pattern})\\b` : pattern,
      isRegex: is_regex === true,
      isCaseSensitive: case_sensitive !== false,
      signal,
      text: isCrlf ? text.replaceAll(/\r?\n/g, '\r\n') : text,
    }
    edits.write(found.path, await replacePlaces(found, replacement, files))
    return null
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure) || !SKIPPED.has(thrown.error.code)) throw thrown
    return thrown.error.message
  }
}

/** Refusals that are about one file; the others still change. */
const SKIPPED: ReadonlySet<string> = new Set(['denied_pattern', 'path_outside_sandbox', 'limit_exceeded'])

function isInCrlf({ bytes, places }: FoundPlaces): boolean {
  const [first] = places
  return first !== undefined && Buffer.from(bytes.subarray(first.from, first.to)).includes('\r\n')
}

function requireCount(
  { expected_count, paths }: Args,
  replaced: number,
  files: Result['files'],
  skipped: Result['skipped'],
): void {
  if (replaced === expected_count || (expected_count === undefined && replaced > 0)) return
  const where = files.map(({ path, replaced: count }) => `${path} (${count})`).join(', ')
  const left = skipped.map(({ path, why }) => `\n${path} was skipped: ${why}`).join('')
  const message =
    expected_count === undefined
      ? `Nothing in ${paths.join(', ')} matches.${left}`
      : `${expected_count} matches were expected, and there are ${replaced}${where === '' ? '' : `: ${where}`}.${left}`
  throw failure('execution_failed', message, { replaced, files: [...files], skipped: [...skipped] }, [
    'Nothing was changed. Check the text and the paths; search with mode counts shows what matches.',
  ])
}

function renderResult(result: Result): string {
  const { replaced, files, skipped } = result
  const head = `replaced ${numbered(replaced, 'match', 'matches')} in ${numbered(files.length, 'file')}`
  const left = skipped.map(({ path, why }) => `[skipped ${path}: ${why}]`)
  return [renderEdit(head, result, true), ...left].join('\n')
}
