import { quotePath, showPath } from '../core/text/display/show-path.ts'
import { defineTool } from './define/define-tool.ts'
import { ToolFailure } from '../core/error.ts'
import type { Edits } from '../core/powers.ts'
import type { PowersOf } from '../core/tool.ts'
import { hintAtPaths, isThereOrStaged } from './finding/nearest-path.ts'
import { array, boolean, integer, object, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import { byteLength } from '../core/text/truncate.ts'
import { regionEdit, stageRegions } from './edits/region-edits.ts'
import type { RegionEdit } from './edits/region-edits.ts'
import { dryRunArgument, dryRunMark, isDryCall } from './edits/dry-run.ts'
import { takenPart } from './edits/taken-part.ts'
import { numbered, renderEdit } from './rendering/edit-text.ts'
import { backupPath, stagingTool } from './define/tool-families.ts'

const input = object(
  {
    edits: array(regionEdit, 'The replacements; line numbers mean the files as they are before the call', {
      minItems: 1,
    }),
    stop_on_error: optional(
      boolean('Whether one bad edit undoes the whole call; otherwise only its file', { default: true }),
    ),
    dry_run: dryRunArgument,
  },
  'Which lines to replace, in which files',
)

const detail = object(
  {
    path: string('The file, relative to the root'),
    start_line: integer('First line'),
    end_line: integer('Last line'),
    backup_path: optional(backupPath),
    changed: boolean('Whether the lines are different now'),
    error: optional(string('Why the edit was left out')),
  },
  'What came of one replacement',
)

const output = object(
  {
    applied: integer('Edits that were made'),
    skipped: integer('Edits that were left out'),
    dry_run: dryRunMark,
    details: array(detail, 'Each edit, in the order given'),
    truncated: optional(boolean('Whether details were left out to fit')),
    diff: optional(string('The change as a unified diff, if it fits')),
    ...takenPart,
  },
  'What was replaced',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>
type Detail = Infer<typeof detail>

/** Replaces lines in several places of several files, as one transaction. */
export const multiEdit = defineTool({
  name: 'multi_edit',
  version: '1.0.0',
  description: 'Replace several ranges of lines in one or more files that were read before, all or nothing',
  ...stagingTool,
  input,
  output,
  rare: ['dry_run'],
  check: ({ edits }) => {
    const wrong = edits.findIndex(({ start_line, end_line }) => start_line > end_line)
    return wrong === -1 ? null : `edits[${wrong}]: start_line is after end_line; swap them`
  },
  claims: ({ edits }) =>
    [...new Set(edits.map(({ path }) => path))].map((path) => ({ path, intent: 'write' as const })),
  rebase: ({ edits, ...args }, move) => ({
    ...args,
    edits: edits.map((edit) => ({ ...edit, path: move(edit.path) })),
  }),
  summary: ({ edits }) =>
    `Make ${edits.length} edits in ${[...new Set(edits.map(({ path }) => showPath(path)))].join(', ')}`,
  present: { text: renderResult, mayTruncate: false },
  run: hintAtPaths(async (args: Args, context: PowersOf['edit']): Promise<Result> => {
    const { edits, judge, maxOutputBytes } = context
    const details = new Map<RegionEdit, Detail>()
    for (const group of groupByFile(args.edits, edits).values()) {
      const mustAll = args.stop_on_error ?? true
      const staged = stageGroup(group, edits, mustAll)
      for (const [region, made] of mustAll ? staged : await dropRefused(staged, edits, judge))
        details.set(region, made)
    }
    const ordered = args.edits.map((region) =>
      withBackup(details.get(region) ?? unmade(region, 'left out'), edits, isDryCall(args, context)),
    )
    const skipped = ordered.filter(({ error }) => error !== undefined).length
    const result: Result = {
      applied: ordered.length - skipped,
      skipped,
      details: ordered,
      dry_run: isDryCall(args, context),
      diff: edits.diff(),
    }
    return fit(result, maxOutputBytes)
  }, isThereOrStaged),
})

function renderResult(result: Result): string {
  const { applied, skipped, details } = result
  const left = details.flatMap(({ path, start_line, end_line, error }) =>
    error === undefined ? [] : [`left out ${quotePath(path)} lines ${start_line}-${end_line}: ${error}`],
  )
  const paths = [...new Set(details.flatMap(({ path, error }) => (error === undefined ? [path] : [])))]
  const named = paths.length === 0 ? '' : ` in ${paths.map(quotePath).join(', ')}`
  const head = `${numbered(applied, 'edit')} made${named}${skipped === 0 ? '' : `, ${skipped} left out`}`
  return [renderEdit(head, result, paths.length > 1), ...left].join('\n')
}

/** Leaves out the least important parts: first the backup paths, then details of edits that succeeded. */
function fit(result: Result, maxBytes: number): Result {
  const isFitting = (made: Result): boolean => byteLength(JSON.stringify(made)) <= maxBytes
  if (isFitting(result)) return result
  const { diff: _diff, ...rest } = result
  const slim = rest.details.map(({ backup_path: _path, ...kept }) => kept)
  const failedFirst = [
    ...slim.filter(({ error }) => error !== undefined),
    ...slim.filter(({ error }) => error === undefined),
  ]
  for (let count = failedFirst.length; ; count = Math.floor(count / 2)) {
    const cut: Result = {
      ...rest,
      details: count === failedFirst.length ? slim : failedFirst.slice(0, count),
      truncated: true,
    }
    if (count === 0 || isFitting(cut)) return cut
  }
}

/** Groups edits by file, regardless of how its path is spelled. */
function groupByFile(
  regions: readonly RegionEdit[],
  edits: Edits,
): ReadonlyMap<string, readonly RegionEdit[]> {
  return Map.groupBy(regions, ({ path }) => edits.stat(path).key)
}

function stageGroup(
  group: readonly RegionEdit[],
  edits: Edits,
  mustAll: boolean,
): readonly (readonly [RegionEdit, Detail])[] {
  try {
    const outcomes = stageRegions(group, edits)
    return group.map((region, index) => {
      const { path, changed } = outcomes[index] ?? { path: region.path, changed: false }
      return [region, { path, start_line: region.start_line, end_line: region.end_line, changed }]
    })
  } catch (thrown) {
    if (mustAll || !(thrown instanceof ToolFailure)) throw thrown
    return group.map((region) => [region, unmade(region, thrown.error.message)])
  }
}

/** Leaves out a file whose content would be rejected, so that the others can still be edited. */
async function dropRefused(
  staged: readonly (readonly [RegionEdit, Detail])[],
  edits: Edits,
  judge: PowersOf['edit']['judge'],
): Promise<readonly (readonly [RegionEdit, Detail])[]> {
  const first = staged.find(([, { error }]) => error === undefined)
  const refusal = first === undefined ? null : await judge(first[0].path)
  if (first === undefined || refusal === null) return staged
  edits.drop(first[0].path)
  return staged.map(([region]) => [region, unmade(region, refusal.message)])
}

function unmade({ path, start_line, end_line }: RegionEdit, error: string): Detail {
  return { path, start_line, end_line, changed: false, error }
}

function withBackup(made: Detail, edits: Edits, isDry: boolean): Detail {
  return made.error !== undefined || isDry ? made : { ...made, backup_path: edits.backupPath(made.path) }
}
