import { array, boolean, integer, object, oneOf, optional, string } from '../../schema/schema.ts'
import { dryRunOnlyMark, isDryCall, NO_ARGUMENT } from '../edits/dry-run.ts'
import { renderList } from '../rendering/list-text.ts'
import type { ShownList } from '../rendering/list-text.ts'
import type { Schema } from '../../schema/schema.ts'
import type { CallContext, Claim, Effect, MovePath, Risk } from '../../core/tool.ts'

/** Labels to find the items of either list by. */
export const labels = optional(array(string('One label'), 'Words to find it by'))

/** When an item was created, and when it last changed. */
export const times = {
  created_at: integer('Epoch milliseconds'),
  updated_at: integer('Epoch milliseconds'),
}

export const exportPath = optional(string('The page to write on export', { minLength: 1 }))

/** Which items to list. */
export function filterBy<const Status extends string>(statuses: readonly Status[]) {
  return optional(
    object(
      {
        status: optional(oneOf(statuses, 'Only those')),
        label: optional(string('Only those with this label')),
        path: optional(string('Only those that point into this file')),
      },
      'Which ones to list',
    ),
  )
}

/** The result of an action on a list of such items. */
export function answerAbout<Item>(item: Schema<Item>) {
  return object(
    {
      task: optional(item),
      tasks: optional(array(item, 'What the filter lets through')),
      deleted: optional(boolean('Whether it is gone')),
      id: optional(string('What is gone')),
      path: optional(string('The page that was written')),
      count: optional(integer('How many items it lists')),
      dry_run: dryRunOnlyMark,
      preview: optional(string('What a dry run would have changed')),
    },
    'What came of it',
  )
}

interface ListAction {
  readonly action: string
  readonly export_path?: string
}

const DEFAULT_PAGE = 'docs/TODO.md'

/** The page that an export writes. */
export function pageOf({ export_path }: Pick<ListAction, 'export_path'>): string {
  return export_path ?? DEFAULT_PAGE
}

/** The common properties of tools that store a list: only an export touches a file. */
export const listTool = {
  effect: 'edit',
  effectOf: ({ action }: ListAction): Effect => (action === 'export' ? 'edit' : 'read'),
  capabilities: ['filesystem.read', 'filesystem.write', 'system.time', 'state.read', 'state.write'],
  limits: { timeout: 'file_operations' },
  risk: ({ action }: ListAction): Risk => (action === 'export' ? 'Medium' : 'Low'),
} as const

/** Says of what an action would have done to the list that nothing of it was kept, if it was a dry run. */
export function markDryRun<Result extends ShownList>(
  { action }: ListAction,
  result: Result,
  context: Pick<CallContext, 'isDryRun'>,
): Result {
  if (action === 'list' || !isDryCall(NO_ARGUMENT, context)) return result
  return { ...result, dry_run: true, preview: result.preview ?? renderList(result) }
}

interface MovedAction extends ListAction {
  readonly filter?: { readonly path?: string }
}

/** The paths that both lists take, moved: the page of an export, and the file that a filter asks for. */
export function moveListPaths<Args extends MovedAction>(args: Args, move: MovePath): Args {
  const { filter } = args
  return {
    ...args,
    ...(args.action === 'export' ? { export_path: move(pageOf(args)) } : {}),
    ...(filter?.path === undefined ? {} : { filter: { ...filter, path: move(filter.path) } }),
  }
}

/** The paths that a call names: code locations, and the page of an export. */
export function claimsOf(args: ListAction, places: readonly string[]): readonly Claim[] {
  const reads = places.map((path): Claim => ({ path, intent: 'read' }))
  return args.action === 'export' ? [...reads, { path: pageOf(args), intent: 'write' }] : reads
}
