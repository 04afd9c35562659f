import { quotePath, showPath } from '../core/text/display/show-path.ts'
import { defineTool } from './define/define-tool.ts'
import { PATH_SLIPS, REPLACEMENT_SLIPS } from './define/slip-names.ts'
import { failure } from '../core/error.ts'
import type { ToolFailure } from '../core/error.ts'
import type { LineRange } from '../core/powers.ts'
import type { PowersOf } from '../core/tool.ts'
import { hintAtPaths, isThereOrStaged } from './finding/nearest-path.ts'
import { boolean, integer, object, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { backupUnlessDry, dryRunArgument, dryRunMark, isDryCall } from './edits/dry-run.ts'
import { diffCutMark, fitDiff } from './edits/fit-diff.ts'
import { usesCrlf, withCrlf } from './edits/line-endings.ts'
import { takenPart } from './edits/taken-part.ts'
import { numbered, renderEdit } from './rendering/edit-text.ts'
import { backupPath, stagingTool } from './define/tool-families.ts'

const input = object(
  {
    path: string('The file, relative to the root', { minLength: 1 }),
    old: string('The exact text to replace, unique in the file unless all is set', { minLength: 1 }),
    new: string('The text to put in its place'),
    all: optional(boolean('Replace every occurrence', { default: false })),
    dry_run: dryRunArgument,
  },
  'Which text to replace, and with what',
)

const output = object(
  {
    path: string('The file, relative to the root'),
    replaced: integer('How many occurrences were replaced'),
    backup_path: backupPath,
    dry_run: dryRunMark,
    diff: string('The change as a unified diff'),
    truncated: diffCutMark,
    ...takenPart,
  },
  'What was replaced',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>

/** Replaces exact text in a file. */
export const editFile = defineTool({
  name: 'edit_file',
  version: '1.0.0',
  description: 'Replace an exact piece of text in a file that was read before',
  guide: 'It suits one place whose old text read_file or search has shown.',
  ...stagingTool,
  input,
  output,
  slips: {
    names: {
      ...PATH_SLIPS,
      ...REPLACEMENT_SLIPS,
      replace_all: 'all',
    },
    tool: ['edit', 'str_replace', 'str_replace_editor', 'str_replace_based_edit_tool'],
  },
  rare: ['dry_run'],
  bigArguments: { old: 'tools.write_file.max_content_bytes', new: 'tools.write_file.max_content_bytes' },
  check: (args) => {
    if (args.old === args.new) return 'old and new are the same, so nothing would change'
    return args.old.isWellFormed() && args.new.isWellFormed()
      ? null
      : 'the text contains half a character (a lone surrogate), which no file can contain; write the whole character'
  },
  claims: ({ path }) => [{ path, intent: 'write' }],
  rebase: (args, move) => ({ ...args, path: move(args.path) }),
  summary: ({ path, all }) =>
    `Replace ${all === true ? 'every occurrence of a text' : 'a text'} in ${showPath(path)}`,
  present: {
    text: (result) =>
      renderEdit(`edited ${quotePath(result.path)} (${numbered(result.replaced, 'replacement')})`, result),
    mayTruncate: false,
  },
  run: hintAtPaths((args: Args, context: PowersOf['edit']): Result => {
    const { edits, maxOutputBytes } = context
    const target = edits.stat(args.path)
    const { path } = target
    if (target.kind === 'missing')
      throw failure('execution_failed', `${path} does not exist.`, { path }, [
        'Check the spelling, or create it with write_file.',
      ])
    const text = decode(edits.read(args.path), path)
    const wanted = adapt(args, text)
    edits.requireFresh(args.path, {
      find: args.old.split('\n'),
      matchesText: true,
      orShown: linesWith(text, wanted.old),
    })
    const pieces = text.split(wanted.old)
    const found = pieces.length - 1
    if (found === 0) throw notFound(text, args.old, path)
    if (found > 1 && args.all !== true) throw ambiguous(text, wanted.old, found, path)
    edits.write(args.path, new TextEncoder().encode(pieces.join(wanted.new)))
    const result = {
      path,
      replaced: found,
      backup_path: backupUnlessDry(args, context, args.path),
      dry_run: isDryCall(args, context),
      diff: edits.diff(),
    }
    return fitDiff(result, 'diff', maxOutputBytes)
  }, isThereOrStaged),
})

function decode(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw failure('execution_failed', `${path} is not UTF-8 text.`, { path }, [
      'Leave it to a program that knows its format, or replace it whole with write_file.',
    ])
  }
}

/** Models write LF; if a file uses CRLF throughout, the same text with CRLF is meant. */
function adapt(args: Args, text: string): { readonly old: string; readonly new: string } {
  const isExact = args.old.includes('\r') && text.includes(args.old)
  if (isExact || !usesCrlf(text)) return args
  return { old: withCrlf(args.old), new: withCrlf(args.new) }
}

/** The lines that hold a text, at each place where it is. */
function linesWith(text: string, old: string): readonly LineRange[] {
  const found: LineRange[] = []
  const more = old.split('\n').length - 1
  let line = 1
  let counted = 0
  for (let at = text.indexOf(old); at !== -1; at = text.indexOf(old, at + old.length)) {
    for (let lf = text.indexOf('\n', counted); lf !== -1 && lf < at; lf = text.indexOf('\n', lf + 1)) line++
    counted = at
    found.push({ start_line: line, end_line: line + more - (old.endsWith('\n') ? 1 : 0) })
  }
  return found
}

function notFound(text: string, old: string, path: string): ToolFailure {
  const near = nearestLine(text, old)
  const details = { path, ...(near === null ? {} : { nearest: { line: near.line, text: near.text } }) }
  const hint =
    near === null
      ? ''
      : ` The nearest place is line ${near.line}: ${JSON.stringify(near.text.slice(0, 120))}.`
  return failure('execution_failed', `The text to replace is not in ${path}.${hint}`, details, [
    'Copy the text exactly from the file, white space included.',
  ])
}

/** The line most similar to the first line of a text, ignoring whitespace and case. */
function nearestLine(text: string, old: string): { readonly line: number; readonly text: string } | null {
  const wanted = (old.split('\n').find((line) => line.trim() !== '') ?? '').trim().toLowerCase()
  if (wanted === '') return null
  const words = new Set(wanted.split(/\W+/).filter(Boolean))
  let best: { readonly line: number; readonly text: string } | null = null
  let most = 0
  for (const [index, line] of text.split('\n').entries()) {
    const candidate = line.trim().toLowerCase()
    const shared =
      candidate === wanted ? Infinity : candidate.split(/\W+/).filter((word) => words.has(word)).length
    if (shared > most) {
      most = shared
      best = { line: index + 1, text: line }
    }
  }
  return best
}

/** More places than this do not help to choose. */
const SHOWN_PLACES = 20

function ambiguous(text: string, old: string, found: number, path: string): ToolFailure {
  const lines: number[] = []
  for (
    let at = text.indexOf(old);
    at !== -1 && lines.length < SHOWN_PLACES;
    at = text.indexOf(old, at + old.length)
  ) {
    lines.push(text.slice(0, at).split('\n').length)
  }
  const message = `The text to replace occurs ${found} times in ${path}, at lines ${lines.join(', ')}${found > lines.length ? ', …' : ''}.`
  return failure('execution_failed', message, { path, found, lines }, [
    'Add lines around it until it is unique, or set all.',
  ])
}
