import { quotePath, showPath } from '../core/text/display/show-path.ts'
import { defineTool } from './define/define-tool.ts'
import { failure } from '../core/error.ts'
import { array, object, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { dryRunArgument, dryRunDiff, dryRunMark, reportDryRun } from './edits/dry-run.ts'
import { takenPart } from './edits/taken-part.ts'
import { numbered, renderEdit } from './rendering/edit-text.ts'
import { readTree, treeTool } from './edits/moved-tree.ts'

const input = object(
  {
    from: string('The file or folder, relative to the root', { minLength: 1 }),
    to: string('Its new path; nothing may be there yet', { minLength: 1 }),
    dry_run: dryRunArgument,
  },
  'What to move, and where to',
)

const output = object(
  {
    from: string('Where it was'),
    to: string('Where it is now'),
    files: array(string('One file'), 'Every file that moved, by its new path'),
    dry_run: dryRunMark,
    diff: dryRunDiff,
    ...takenPart,
  },
  'What was moved',
)

type Result = Infer<typeof output>

/** Moves or renames a file or a folder; can be undone. */
export const movePath = defineTool({
  name: 'move_path',
  version: '1.0.0',
  description: 'Move or rename a file, or a folder with everything in it',
  ...treeTool,
  input,
  output,
  slips: {
    names: {
      source: 'from',
      source_path: 'from',
      old_path: 'from',
      destination: 'to',
      destination_path: 'to',
      new_path: 'to',
    },
    tool: ['mv', 'move', 'rename', 'move_file', 'rename_file'],
  },
  rare: ['dry_run'],
  claims: ({ from, to }) => [
    { path: from, intent: 'write' },
    { path: to, intent: 'write' },
  ],
  rebase: ({ from, to, ...args }, move) => ({ ...args, from: move(from), to: move(to) }),
  summary: ({ from, to }) => `Move ${showPath(from)} to ${showPath(to)}`,
  present: {
    text: (result) =>
      renderEdit(
        `moved ${quotePath(result.from)} to ${quotePath(result.to)} (${numbered(result.files.length, 'file')})`,
        {
          dry_run: result.dry_run,
          ...(result.dry_run && result.diff !== undefined ? { diff: result.diff } : {}),
        },
      ),
    mayTruncate: false,
  },
  run(args, context): Result {
    const { edits } = context
    const tree = readTree(args.from, context)
    const goal = edits.stat(args.to)
    const source = tree.target.path
    if (goal.kind !== 'missing')
      throw failure('execution_failed', `${goal.path} already exists.`, { path: goal.path }, [
        'Choose another name, or delete it first.',
      ])
    if (goal.path.startsWith(`${source}/`))
      throw failure('bad_args', `${goal.path} is inside ${source}.`, { path: goal.path }, [
        'Choose a path outside it.',
      ])
    const moved = tree.files.map((path) => {
      const next = goal.path + path.slice(source.length)
      edits.write(next, edits.read(path), { like: path })
      edits.remove(path)
      return next
    })
    for (const folder of tree.folders) {
      edits.makeFolder(goal.path + folder.slice(source.length), folder)
      edits.removeFolder(folder)
    }
    return {
      from: source,
      to: goal.path,
      files: moved,
      ...reportDryRun(args, context),
    }
  },
})
