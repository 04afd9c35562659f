import { defineTool } from '../core/define-tool.ts'
import { boolean, integer, nullable, object, optional, string } from '../core/schema.ts'
import type { Infer } from '../core/schema.ts'
import { stageRegions } from './region-edits.ts'
import { dryRunMark, dryRunWish, effectUnlessDry, showsOnly } from './dry-run.ts'

const input = object(
  {
    path: string('The file, relative to the root', { minLength: 1 }),
    start_line: integer('First line to replace, from 1', { minimum: 1 }),
    end_line: integer('Last line to replace, included', { minimum: 1 }),
    new_content: string('What shall stand there; empty removes the lines'),
    expected: optional(string('What the lines are believed to be; anything else refuses the edit')),
    dry_run: dryRunWish,
  },
  'Which lines to replace, and with what',
)

const output = object(
  {
    path: string('The file, relative to the root'),
    start_line: integer('First line that was replaced'),
    end_line: integer('Last line that was replaced'),
    backup_path: nullable(string('A copy of the old content; null where there is none')),
    dry_run: dryRunMark,
    changed: boolean('Whether the lines are different now'),
    diff: optional(string('On a dry run, the change as a unified diff')),
  },
  'What was replaced',
)

type Result = Infer<typeof output>

/** Replaces lines of a file by their numbers. */
export const editRegion = defineTool({
  name: 'edit_region',
  version: '1.0.0',
  description: 'Replace a range of lines of a file that was read before',
  effect: 'edit',
  effectOf: effectUnlessDry,
  input,
  output,
  capabilities: ['filesystem.read', 'filesystem.write'],
  limits: { timeout: 'file_operations' },
  bigArguments: { new_content: 'tools.write_file.max_content_bytes' },
  check: ({ start_line, end_line }) =>
    start_line > end_line ? `start_line ${start_line} lies after end_line ${end_line}` : null,
  claims: ({ path }) => [{ path, intent: 'write' }],
  summary: ({ path, start_line, end_line }) => `Replace lines ${start_line}-${end_line} of ${path}`,
  run(args, { edits, isDryRun }): Result {
    const [outcome] = stageRegions([args], edits)
    const isDry = showsOnly(args, isDryRun)
    return {
      path: outcome?.path ?? args.path,
      start_line: args.start_line,
      end_line: args.end_line,
      backup_path: isDry ? null : edits.backupPath(args.path),
      dry_run: isDry,
      changed: outcome?.changed ?? false,
      ...(isDry ? { diff: edits.diff() } : {}),
    }
  },
})
