import { failure } from '../../core/error.ts'
import type { ToolFailure } from '../../core/error.ts'
import type { Edits } from '../../core/powers.ts'
import { integer, object, optional, string } from '../../schema/schema.ts'
import type { Infer } from '../../schema/schema.ts'
import { unifiedDiff } from '../../core/text/unified-diff.ts'
import { readFileLines, splitTextLines, writeFileLines } from '../lp1/file-lines.ts'
import type { FileLines } from '../lp1/file-lines.ts'
import { lineCountOf, replaceLines, textOfLines } from '../lp1/replace-lines.ts'

/** The arguments that describe one replacement of whole lines. */
export const regionFields = {
  path: string('The file, relative to the root', { minLength: 1 }),
  start_line: integer('First line to replace, from 1', { minimum: 1 }),
  end_line: integer('Last line to replace, included', { minimum: 1 }),
  new_content: string('The new lines; empty removes the old ones'),
  expected: optional(string('What the lines should be now; the edit is refused if they are not')),
}

export const regionEdit = object(regionFields, 'One replacement')

/** One replacement of whole lines; numbers refer to the file before the call. */
export type RegionEdit = Infer<typeof regionEdit>

/** The outcome of one replacement. */
export interface RegionOutcome {
  readonly path: string
  readonly changed: boolean
}

/** Reads the lines of a file, which must be a regular text file within the editing limit. */
function readLines(path: string, edits: Edits): FileLines {
  const { kind, path: shown } = edits.stat(path)
  if (kind === 'missing')
    throw failure('execution_failed', `${shown} does not exist.`, { path: shown }, [
      'Check the spelling, or create it with write_file.',
    ])
  if (kind === 'dir')
    throw failure('execution_failed', `${shown} is a folder.`, { path: shown }, ['Name a file in it.'])
  const read = readFileLines(edits.read(path))
  if (read.ok) return read.file
  throw failure(
    'execution_failed',
    `${shown} cannot be edited by lines: ${read.message}`,
    {
      path: shown,
      code: read.code,
    },
    ['Replace the whole file with write_file if it should become plain lines of text.'],
  )
}

/** Stages all replacements in one file, or throws for the first that cannot be made. */
export function stageRegions(regions: readonly RegionEdit[], edits: Edits): readonly RegionOutcome[] {
  const [first] = regions
  if (first === undefined) return []
  const { path } = first
  const file = readLines(path, edits)
  const shown = edits.stat(path).path
  for (const region of regions) requireKnown(region, shown, file, edits)
  const lineEdits = regions.map((region) => ({
    from: region.start_line,
    to: region.end_line,
    texts: linesOf(region, shown),
  }))
  const replaced = replaceLines(file, lineEdits)
  if (!replaced.ok)
    throw failure(
      'bad_args',
      `${shown}: ${replaced.message}`,
      {
        path: shown,
        edit: replaced.edit,
        last_line: lineCountOf(file),
      },
      ['Read the file, and count its lines as they are before the call.'],
    )
  edits.write(path, writeFileLines(replaced.file))
  return regions.map((region) => ({
    path: shown,
    changed:
      linesOf(region, shown).join('\n') !== textOfLines(file, region.start_line, region.end_line) ||
      isResized(region, shown),
  }))
}

function isResized(region: RegionEdit, shown: string): boolean {
  return linesOf(region, shown).length !== region.end_line - region.start_line + 1
}

function linesOf({ new_content }: RegionEdit, shown: string): readonly string[] {
  const split = splitTextLines(new_content)
  if (split.ok) return split.texts
  throw failure('bad_args', `The new content for ${shown} cannot become lines: ${split.message}`, {
    path: shown,
  })
}

function requireKnown(region: RegionEdit, shown: string, file: FileLines, edits: Edits): void {
  const { path, start_line, end_line, expected } = region
  const last = lineCountOf(file)
  if (end_line > last) {
    throw failure(
      'bad_args',
      `end_line ${end_line} is beyond the end of ${shown}: its last line is ${last}.`,
      { path: shown, last_line: last },
      ['Read the end of the file, and take its line numbers.'],
    )
  }
  const lines = { start_line, end_line }
  edits.requireFresh(path, {
    lines,
    orShown: [lines],
    matchesText: expected !== undefined,
    ...(expected === undefined ? { mustHaveSeen: lines } : {}),
  })
  if (expected === undefined) return
  const now = textOfLines(file, start_line, end_line)
  if (sameLines(expected, now)) return
  throw unexpected(region, shown, expected, now)
}

/** Line endings and a final newline are ignored. */
function sameLines(expected: string, now: string): boolean {
  return expected.replaceAll('\r\n', '\n').replace(/\n$/, '') === now.replace(/\n$/, '')
}

function unexpected(
  { start_line, end_line }: RegionEdit,
  shown: string,
  expected: string,
  now: string,
): ToolFailure {
  const diff = unifiedDiff({
    path: shown,
    before: `${expected.replaceAll('\r\n', '\n').replace(/\n$/, '')}\n`,
    after: `${now}\n`,
  })
  const message = `Lines ${start_line} to ${end_line} are not what was expected`
  const fresh = { start_line, end_line, text: `${now}\n` }
  return failure('stale_file', message, { file: shown, reason: message, diff, fresh }, [
    'Take the lines as they are now, then try again.',
  ])
}
