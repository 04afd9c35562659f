import { quotePath, showPath } from '../core/text/display/show-path.ts'
import { defineTool } from './define/define-tool.ts'
import { PATH_SLIPS } from './define/slip-names.ts'
import { array, object, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { dryRunArgument, dryRunDiff, dryRunMark, reportDryRun } from './edits/dry-run.ts'
import { takenPart } from './edits/taken-part.ts'
import { numbered, renderEdit } from './rendering/edit-text.ts'
import { readTree, treeTool } from './edits/moved-tree.ts'

const input = object(
  {
    path: string('The file or folder, relative to the root', { minLength: 1 }),
    dry_run: dryRunArgument,
  },
  'What to delete',
)

const output = object(
  {
    path: string('What was deleted, relative to the root'),
    files: array(string('One file'), 'Every file that is gone'),
    dry_run: dryRunMark,
    diff: dryRunDiff,
    ...takenPart,
  },
  'What was deleted',
)

type Result = Infer<typeof output>

/** Deletes a file, or a folder with everything in it; can be undone. */
export const deletePath = defineTool({
  name: 'delete_path',
  version: '1.0.0',
  description: 'Delete a file, or a folder with everything in it',
  ...treeTool,
  input,
  output,
  slips: {
    names: PATH_SLIPS,
    tool: ['rm', 'delete', 'delete_file', 'remove'],
  },
  rare: ['dry_run'],
  claims: ({ path }) => [{ path, intent: 'write' }],
  rebase: (args, move) => ({ ...args, path: move(args.path) }),
  summary: ({ path }) => `Delete ${showPath(path)}`,
  present: {
    text: (result) =>
      renderEdit(`deleted ${quotePath(result.path)} (${numbered(result.files.length, 'file')})`, {
        dry_run: result.dry_run,
        ...(result.dry_run && result.diff !== undefined ? { diff: result.diff } : {}),
      }),
    mayTruncate: false,
  },
  run(args, context): Result {
    const { edits } = context
    const tree = readTree(args.path, context)
    for (const path of tree.files) edits.remove(path)
    for (const folder of tree.folders) edits.removeFolder(folder)
    return {
      path: tree.target.path,
      files: tree.files,
      ...reportDryRun(args, context),
    }
  },
})
