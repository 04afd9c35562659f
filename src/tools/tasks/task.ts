import { defineTool } from '../../core/define-tool.ts'
import { failure } from '../../core/error.ts'
import { array, boolean, integer, object, oneOf, optional, string } from '../../core/schema.ts'
import type { Infer } from '../../core/schema.ts'
import { exportPage, showPlace } from './export-list.ts'
import { filterItems, given, openList } from './task-list.ts'

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
const DEFAULT_PAGE = 'docs/TODO.md'

const link = object(
  {
    path: string('A file, relative to the root', { minLength: 1 }),
    line: optional(integer('A line of it, from 1', { minimum: 1 })),
    end_line: optional(integer('The last line, included', { minimum: 1 })),
  },
  'A place that belongs to the task',
)

const task = object(
  {
    id: string('Its name for good'),
    title: string('What it is about'),
    description: optional(string('More about it')),
    acceptance: optional(array(string('One condition'), 'When it counts as done')),
    subtasks: optional(
      array(
        object(
          {
            id: string('Its name for good'),
            title: string('What is to be done'),
            done: boolean('Whether it is done'),
          },
          'A part of the task',
        ),
        'Its parts',
      ),
    ),
    status: oneOf(STATUSES, 'Where it stands'),
    labels: optional(array(string('One label'), 'Words to find it by')),
    priority: optional(oneOf(['low', 'medium', 'high', 'critical'], 'How urgent it is')),
    links: optional(array(link, 'Places that belong to it')),
    created_at: integer('Epoch milliseconds'),
    updated_at: integer('Epoch milliseconds'),
    history: optional(array(string('One note'), 'Notes and changes of status, oldest first')),
  },
  'A piece of work',
)

const input = object(
  {
    action: oneOf(ACTIONS, 'What to do'),
    title: optional(string('What it is about; needed to create', { minLength: 1 })),
    description: optional(string('More about it')),
    acceptance: optional(array(string('One condition'), 'When it counts as done')),
    links: optional(array(link, 'Places that belong to it')),
    labels: optional(array(string('One label'), 'Words to find it by')),
    priority: optional(oneOf(['low', 'medium', 'high', 'critical'], 'How urgent it is')),
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
    filter: optional(
      object(
        {
          status: optional(oneOf(STATUSES, 'Only those')),
          label: optional(string('Only those with this label')),
          path: optional(string('Only those with a link into this file')),
        },
        'Which ones to list',
      ),
    ),
    export_path: optional(string('The page to write on export', { minLength: 1 })),
  },
  'An action on the tasks of this session',
)

const output = object(
  {
    task: optional(task),
    tasks: optional(array(task, 'What the filter lets through')),
    deleted: optional(boolean('Whether it is gone')),
    id: optional(string('What is gone')),
    path: optional(string('The page that was written')),
    count: optional(integer('How many stand on it')),
  },
  'What came of it',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>
type Task = Infer<typeof task>
type Subtask = NonNullable<Task['subtasks']>[number]

/** Keeps larger pieces of work with parts, conditions, notes and links. */
export const taskTool = defineTool({
  name: 'task',
  version: '1.0.0',
  description:
    'Keep larger pieces of work with subtasks, acceptance criteria and notes; export writes them to a page',
  effect: 'edit',
  effectOf: ({ action }) => (action === 'export' ? 'edit' : 'read'),
  input,
  output,
  capabilities: ['filesystem.read', 'filesystem.write', 'system.time', 'state.read', 'state.write'],
  limits: { timeout: 'file_operations' },
  risk: ({ action }) => (action === 'export' ? 'Medium' : 'Low'),
  check: findObjection,
  claims: ({ action, links, export_path }) => [
    ...(links ?? []).map(({ path }) => ({ path, intent: 'read' as const })),
    ...(action === 'export' ? [{ path: export_path ?? DEFAULT_PAGE, intent: 'write' as const }] : []),
  ],
  summary: ({ action, title, id, export_path }) =>
    action === 'export'
      ? `Write the tasks to ${export_path ?? DEFAULT_PAGE}`
      : `Task: ${action} ${title ?? id ?? ''}`.trimEnd(),
  run(args, { store, edits, now }): Result {
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
        return {
          task: list.add((id) => ({
            id,
            title: args.title ?? '',
            ...given(fieldsOf(args)),
            status: 'open',
            created_at: at,
            updated_at: at,
          })),
        }
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
        return {
          tasks: filterItems(list.all(), args.filter ?? {}, ({ links = [] }) =>
            links.map(({ path }) => path),
          ),
        }
      case 'delete':
        return { deleted: true, id: list.remove(args.id) }
      case 'export': {
        const items = list.all()
        return {
          path: exportPage(args.export_path ?? DEFAULT_PAGE, 'Tasks', items.flatMap(showTask), edits),
          count: items.length,
        }
      }
    }
  },
})

function findObjection({ action, title, id, status, subtask, note }: Args): string | null {
  if (action === 'create' && title === undefined) return 'create needs a title'
  if (!NEEDS_NO_ID.has(action) && id === undefined) return `${action} needs an id`
  if (action === 'set_status' && status === undefined) return 'set_status needs a status'
  if (action === 'add_subtask' && subtask?.title === undefined) return 'add_subtask needs subtask.title'
  if (action === 'update_subtask' && subtask?.id === undefined) return 'update_subtask needs subtask.id'
  return action === 'add_note' && note === undefined ? 'add_note needs a note' : null
}

function fieldsOf({ description, acceptance, links, labels, priority }: Args) {
  return { description, acceptance, links, labels, priority }
}

/** Numbers go on after the highest that is there, so a part keeps its name. */
function newSubtask(subtasks: readonly Subtask[], { subtask }: Args): Subtask {
  const highest = Math.max(0, ...subtasks.map(({ id }) => Number(id.slice(1))))
  return { id: `s${highest + 1}`, title: subtask?.title ?? '', done: subtask?.done ?? false }
}

function updateSubtask(subtasks: readonly Subtask[], { subtask }: Args): readonly Subtask[] {
  if (!subtasks.some(({ id }) => id === subtask?.id)) {
    throw failure(
      'bad_args',
      `There is no subtask ${JSON.stringify(subtask?.id ?? '')}. Known are ${subtasks.map(({ id }) => id).join(', ') || 'none'}.`,
    )
  }
  return subtasks.map((part) =>
    part.id === subtask?.id ? { ...part, ...given({ title: subtask.title, done: subtask.done }) } : part,
  )
}

function showTask({
  title,
  description,
  acceptance,
  subtasks,
  status,
  priority,
  links,
  history,
}: Task): readonly string[] {
  return [
    `## ${title} (${status}${priority === undefined ? '' : `, ${priority}`})`,
    '',
    ...(description === undefined ? [] : [description, '']),
    ...(acceptance ?? []).map((condition) => `- done when: ${condition}`),
    ...(subtasks ?? []).map((part) => `- [${part.done ? 'x' : ' '}] ${part.title}`),
    ...(links ?? []).map((place) => `- see ${showPlace(given(place) as { path: string })}`),
    ...(history ?? []).map((note) => `- ${note}`),
    '',
  ]
}
