import { quotePath, showPath } from '../core/text/display/show-path.ts'
import { defineTool } from './define/define-tool.ts'
import { PATH_SLIPS } from './define/slip-names.ts'
import type { PowersOf } from '../core/tool.ts'
import { hintAtPaths, isThereOrStaged } from './finding/nearest-path.ts'
import { boolean, integer, object, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { regionFields, stageRegions } from './edits/region-edits.ts'
import { backupUnlessDry, dryRunArgument, dryRunMark, isDryCall } from './edits/dry-run.ts'
import { diffCutMark, fitDiff } from './edits/fit-diff.ts'
import { takenPart } from './edits/taken-part.ts'
import { renderEdit } from './rendering/edit-text.ts'
import { backupPath, stagingTool } from './define/tool-families.ts'

const input = object(
  {
    ...regionFields,
    dry_run: dryRunArgument,
  },
  'Which lines to replace, and with what',
)

const output = object(
  {
    path: string('The file, relative to the root'),
    start_line: integer('First line that was replaced'),
    end_line: integer('Last line that was replaced'),
    backup_path: backupPath,
    dry_run: dryRunMark,
    changed: boolean('Whether the lines are different now'),
    diff: string('The change as a unified diff'),
    truncated: diffCutMark,
    ...takenPart,
  },
  'What was replaced',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>

/** Replaces lines of a file by their numbers. */
export const editRegion = defineTool({
  name: 'edit_region',
  version: '1.0.0',
  description: 'Replace a range of lines of a file that was read before',
  ...stagingTool,
  input,
  output,
  slips: {
    names: {
      ...PATH_SLIPS,
      content: 'new_content',
      new_text: 'new_content',
    },
  },
  rare: ['dry_run'],
  bigArguments: { new_content: 'tools.write_file.max_content_bytes' },
  check: ({ start_line, end_line }) =>
    start_line > end_line ? `start_line ${start_line} is after end_line ${end_line}; swap them` : null,
  claims: ({ path }) => [{ path, intent: 'write' }],
  rebase: (args, move) => ({ ...args, path: move(args.path) }),
  summary: ({ path, start_line, end_line }) => `Replace lines ${start_line}-${end_line} of ${showPath(path)}`,
  present: {
    text: (result) =>
      renderEdit(
        result.changed ? `edited ${quotePath(result.path)}` : `${quotePath(result.path)} already reads so`,
        result,
      ),
    mayTruncate: false,
  },
  run: hintAtPaths((args: Args, context: PowersOf['edit']): Result => {
    const [outcome] = stageRegions([args], context.edits)
    const result = {
      path: outcome?.path ?? args.path,
      start_line: args.start_line,
      end_line: args.end_line,
      backup_path: backupUnlessDry(args, context, args.path),
      dry_run: isDryCall(args, context),
      changed: outcome?.changed ?? false,
      diff: context.edits.diff(),
    }
    return fitDiff(result, 'diff', context.maxOutputBytes)
  }, isThereOrStaged),
})
