import { Buffer } from 'node:buffer'
import { settingsOf } from '../config/keys.ts'
import { failure, ToolFailure } from '../core/error.ts'
import { compareCodePoints } from '../core/text/compare.ts'
import type { PowersOf } from '../core/tool.ts'
import { defineTool } from './define/define-tool.ts'
import { REPLACEMENT_SLIPS } from './define/slip-names.ts'
import { editingTool } from './define/tool-families.ts'
import { dryRunArgument, dryRunMark, isDryCall } from './edits/dry-run.ts'
import { diffCutMark } from './edits/fit-diff.ts'
import { usesCrlf, withCrlf } from './edits/line-endings.ts'
import { takenPart } from './edits/taken-part.ts'
import { claimPlainPaths, claimPatterns, findPatternFault } from './finding/path-patterns.ts'
import { moveFilter } from './finding/search-scope.ts'
import { decodeText } from './reading/bytes.ts'
import { renderReplaced } from './rendering/replaced-text.ts'
import { quotePath } from '../core/text/display/show-path.ts'
import { findMatches, patternOf } from './replacing/find-matches.ts'
import type { FoundPlaces } from './replacing/find-places.ts'
import { fitReplaced, MAX_NAMED } from './replacing/fit-replaced.ts'
import { replacePlaces } from './replacing/replace-places.ts'
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
    files_more: optional(integer('How many more changed that are not named')),
    skipped: array(
      object({ path: string('Relative to the root'), why: string('Why') }, 'One file'),
      'Files that the paths name and that were left alone',
    ),
    skipped_more: optional(integer('How many more were left alone')),
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
      ...REPLACEMENT_SLIPS,
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
  present: { text: renderReplaced, mayTruncate: false },
  async run(args, context): Promise<Result> {
    const { files, edits, settings, signal, maxOutputBytes } = context
    const found = await findMatches(args, { files, settings: settingsOf(settings), signal })
    const matched = new Set(found.matches.map(({ path }) => path))
    const skipped = found.skipped.filter(({ path }) => !matched.has(path))
    const changed: { readonly path: string; readonly replaced: number }[] = []
    for (const one of found.matches) {
      const why = await stage(one, args, context)
      if (why === null) changed.push({ path: one.path, replaced: one.places.length })
      else skipped.push({ path: one.path, why })
    }
    skipped.sort((a, b) => compareCodePoints(a.path, b.path))
    const replaced = changed.reduce((sum, one) => sum + one.replaced, 0)
    requireCount(args, replaced, changed, skipped)
    const result: Result = {
      replaced,
      files: changed,
      skipped,
      dry_run: isDryCall(args, context),
      diff: edits.diff(),
    }
    return fitReplaced(result, maxOutputBytes)
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

/** Stages the change of one file; returns why it was left alone, or null. */
async function stage(
  found: FoundPlaces,
  args: Args,
  { edits, files, signal }: Pick<PowersOf['edit'], 'edits' | 'files' | 'signal'>,
): Promise<string | null> {
  try {
    const now = edits.read(found.path)
    if (Buffer.compare(now, found.bytes) !== 0) return 'it changed while it was searched; call again'
    const replacement = {
      pattern: patternOf(args),
      isRegex: args.is_regex === true,
      isCaseSensitive: args.case_sensitive !== false,
      signal,
      text: isWithCrlf(found, args) ? withCrlf(args.new) : args.new,
    }
    edits.write(found.path, await replacePlaces(found, replacement, files))
    return null
  } catch (thrown) {
    if (!(thrown instanceof ToolFailure)) throw thrown
    // What a search shows of such a name leads to no file.
    if (found.path.includes('\ufffd')) return `its name is not UTF-8: ${thrown.error.message}`
    if (!SKIPPED.has(thrown.error.code)) throw thrown
    return thrown.error.message
  }
}

/** Refusals that are about one file; the others still change. */
const SKIPPED: ReadonlySet<string> = new Set(['denied_pattern', 'path_outside_sandbox', 'limit_exceeded'])

/** Models write LF; in a file with CRLF throughout, or in place of lines with CRLF, the same with CRLF is meant. */
function isWithCrlf({ bytes, places }: FoundPlaces, { old, new: text }: Args): boolean {
  if (!text.includes('\n') || old.includes('\r')) return false
  const [first] = places
  const isInCrlf = first !== undefined && Buffer.from(bytes.subarray(first.from, first.to)).includes('\r\n')
  return isInCrlf || usesCrlf(decodeText(bytes))
}

function requireCount(
  { expected_count, paths }: Args,
  replaced: number,
  files: Result['files'],
  skipped: Result['skipped'],
): void {
  if (replaced === expected_count || (expected_count === undefined && replaced > 0)) return
  const some = { files: files.slice(0, MAX_NAMED), skipped: skipped.slice(0, MAX_NAMED) }
  const where = some.files.map(({ path, replaced: count }) => `${quotePath(path)} (${count})`).join(', ')
  const others = files.length > MAX_NAMED ? `, and ${files.length - MAX_NAMED} more files` : ''
  const left = some.skipped.map(({ path, why }) => `\n${quotePath(path)} was skipped: ${why}`).join('')
  const message =
    expected_count === undefined
      ? `Nothing in ${paths.join(', ')} matches.${left}`
      : `${expected_count} matches were expected, and there are ${replaced}${where === '' ? '' : `: ${where}${others}`}.${left}`
  throw failure('execution_failed', message, { replaced, ...some }, [
    'Nothing was changed. Check the text and the paths; search with mode counts shows what matches.',
  ])
}
