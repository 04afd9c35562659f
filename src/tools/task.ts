import { defineTool } from './define/define-tool.ts'
import { failure } from '../core/error.ts'
import { array, boolean, integer, object, oneOf, optional, string } from '../schema/schema.ts'
import type { Infer } from '../schema/schema.ts'
import type { PowersOf } from '../core/tool.ts'
import { exportList, showPlace } from './tasks/export-list.ts'
import {
  answerAbout,
  claimsOf,
  exportPath,
  filterBy,
  labels,
  listTool,
  markDryRun,
  moveListPaths,
  pageOf,
  times,
} from './tasks/list-fields.ts'
import { renderList } from './rendering/list-text.ts'
import { filterItems, given, newItem, openList } from './tasks/task-list.ts'

const ACTIONS = [
  'create',
  'update',
  'set_status',
  'complete',
  'reopen',
  'add_subtask',
  'update_subtask',
  'add_note',
  'list',
  'delete',
  'export',
] as const
const STATUSES = ['open', 'in_progress', 'blocked', 'completed'] as const
const NEEDS_NO_ID: ReadonlySet<string> = new Set(['create', 'list', 'export'])

const link = object(
  {
    path: string('A file, relative to the root', { minLength: 1 }),
    line: optional(integer('A line of it, from 1', { minimum: 1 })),
    end_line: optional(integer('The last line, included', { minimum: 1 })),
  },
  'A place that belongs to the task',
)

const description = optional(string('More about it'))
const acceptance = optional(array(string('One condition'), 'When it counts as done'))
const priority = optional(oneOf(['low', 'medium', 'high', 'critical'], 'How urgent it is'))
const links = optional(array(link, 'Places that belong to it'))

const task = object(
  {
    id: string('Its permanent id'),
    title: string('What it is about'),
    description,
    acceptance,
    subtasks: optional(
      array(
        object(
          {
            id: string('Its permanent id'),
            title: string('What is to be done'),
            done: boolean('Whether it is done'),
          },
          'A part of the task',
        ),
        'Its parts',
      ),
    ),
    status: oneOf(STATUSES, 'Its status'),
    labels,
    priority,
    links,
    ...times,
    history: optional(array(string('One note'), 'Notes and changes of status, oldest first')),
  },
  'A piece of work',
)

const input = object(
  {
    action: oneOf(ACTIONS, 'What to do'),
    title: optional(string('What it is about; needed to create', { minLength: 1 })),
    description,
    acceptance,
    links,
    labels,
    priority,
    id: optional(string('Which task; needed for all but create, list and export', { minLength: 1 })),
    status: optional(oneOf(STATUSES, 'The new status, for set_status')),
    subtask: optional(
      object(
        {
          id: optional(string('Which part, for update_subtask')),
          title: optional(string('What is to be done', { minLength: 1 })),
          done: optional(boolean('Whether it is done')),
        },
        'A part of the task',
      ),
    ),
    note: optional(string('A note, for add_note', { minLength: 1 })),
    filter: filterBy(STATUSES),
    export_path: exportPath,
  },
  'An action on the tasks of this session',
)

const output = answerAbout(task)

type Args = Infer<typeof input>
type Result = Infer<typeof output>
type Task = Infer<typeof task>
type Subtask = NonNullable<Task['subtasks']>[number]

/** Tracks larger pieces of work with subtasks, conditions, notes and links. */
export const taskTool = defineTool({
  name: 'task',
  version: '1.0.0',
  description:
    'Keep larger pieces of work with subtasks, acceptance criteria and notes; export writes them to a page',
  ...listTool,
  input,
  output,
  check: findArgumentFault,
  claims: (args) => claimsOf(args, pathsOf(args)),
  rebase: ({ links: places, ...args }, move) => ({
    ...moveListPaths(args, move),
    ...(places === undefined ? {} : { links: places.map((place) => ({ ...place, path: move(place.path) })) }),
  }),
  summary: (args) =>
    args.action === 'export'
      ? `Write the tasks to ${pageOf(args)}`
      : `Task: ${args.action} ${args.title ?? args.id ?? ''}`.trimEnd(),
  present: { text: renderList, mayTruncate: false },
  run: (args, powers): Result => markDryRun(args, act(args, powers), powers),
})

function act(args: Args, powers: PowersOf['edit']): Result {
  const { store, now } = powers
  const list = openList<Task>(store, 'tasks', 'task-')
  const at = now()
  const change = (how: (item: Task) => Partial<Task>, note?: string): Result => ({
    task: list.change(args.id, (item) => {
      const changed: Task = { ...item, ...how(item), updated_at: at }
      return note === undefined ? changed : { ...changed, history: [...(changed.history ?? []), note] }
    }),
  })
  switch (args.action) {
    case 'create':
      return { task: list.add((id) => newItem(id, args.title ?? '', fieldsOf(args), at)) }
    case 'update':
      return change(() => given({ title: args.title, ...fieldsOf(args) }))
    case 'set_status':
      return change(() => ({ status: args.status ?? 'open' }), `status: ${args.status ?? 'open'}`)
    case 'complete':
      return change(() => ({ status: 'completed' }), 'status: completed')
    case 'reopen':
      return change(() => ({ status: 'open' }), 'status: open')
    case 'add_subtask':
      return change(({ subtasks = [] }) => ({ subtasks: [...subtasks, newSubtask(subtasks, args)] }))
    case 'update_subtask':
      return change(({ subtasks = [] }) => ({ subtasks: updateSubtask(subtasks, args) }))
    case 'add_note':
      return change(() => ({}), args.note ?? '')
    case 'list':
      return { tasks: filterItems(list.all(), args.filter ?? {}, pathsOf) }
    case 'delete':
      return { deleted: true, id: list.remove(args.id) }
    case 'export':
      return exportList(list.all(), { path: pageOf(args), title: 'Tasks', show: showTask }, powers)
  }
}

function findArgumentFault({ action, title, id, status, subtask, note }: Args): string | null {
  if (action === 'create' && title === undefined) return 'create needs a title'
  if (!NEEDS_NO_ID.has(action) && id === undefined) return `${action} needs an id`
  if (action === 'set_status' && status === undefined) return 'set_status needs a status'
  if (action === 'add_subtask' && subtask?.title === undefined) return 'add_subtask needs subtask.title'
  if (action === 'update_subtask' && subtask?.id === undefined) return 'update_subtask needs subtask.id'
  return action === 'add_note' && note === undefined ? 'add_note needs a note' : null
}

function fieldsOf(args: Args) {
  return {
    description: args.description,
    acceptance: args.acceptance,
    links: args.links,
    labels: args.labels,
    priority: args.priority,
  }
}

function pathsOf({ links: places = [] }: Pick<Task, 'links'>): readonly string[] {
  return places.map(({ path }) => path)
}

/** Numbering continues after the highest id, so that ids stay stable. */
function newSubtask(subtasks: readonly Subtask[], { subtask }: Args): Subtask {
  const highest = Math.max(0, ...subtasks.map(({ id }) => Number(id.slice(1))))
  return { id: `s${highest + 1}`, title: subtask?.title ?? '', done: subtask?.done ?? false }
}

function updateSubtask(subtasks: readonly Subtask[], { subtask }: Args): readonly Subtask[] {
  if (!subtasks.some(({ id }) => id === subtask?.id)) {
    throw failure(
      'bad_args',
      `There is no subtask ${JSON.stringify(subtask?.id ?? '')}. Known: ${subtasks.map(({ id }) => id).join(', ') || 'none'}.`,
    )
  }
  return subtasks.map((part) =>
    part.id === subtask?.id ? { ...part, ...given({ title: subtask.title, done: subtask.done }) } : part,
  )
}

function showTask(item: Task): readonly string[] {
  return [
    `## ${item.title} (${item.status}${item.priority === undefined ? '' : `, ${item.priority}`})`,
    '',
    ...(item.description === undefined ? [] : [item.description, '']),
    ...(item.acceptance ?? []).map((condition) => `- done when: ${condition}`),
    ...(item.subtasks ?? []).map((part) => `- [${part.done ? 'x' : ' '}] ${part.title}`),
    ...(item.links ?? []).map((place) => `- see ${showPlace(place)}`),
    ...(item.history ?? []).map((note) => `- ${note}`),
    '',
  ]
}
