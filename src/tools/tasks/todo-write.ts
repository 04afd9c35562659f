import { defineTool } from '../../core/define-tool.ts'
import { array, boolean, integer, object, oneOf, optional, string } from '../../core/schema.ts'
import type { Infer } from '../../core/schema.ts'
import { exportPage, showPlace } from './export-list.ts'
import { filterItems, given, openList } from './task-list.ts'

const ACTIONS = ['create', 'update', 'complete', 'reopen', 'delete', 'list', 'export'] as const
const NEEDS_ID: ReadonlySet<string> = new Set(['update', 'complete', 'reopen', 'delete'])
const DEFAULT_PAGE = 'docs/TODO.md'

const location = object(
  {
    path: string('A file, relative to the root', { minLength: 1 }),
    line: integer('A line of it, from 1', { minimum: 1 }),
    end_line: optional(integer('The last line, included', { minimum: 1 })),
  },
  'A place in the code',
)

const todo = object(
  {
    id: string('Its name for good'),
    title: string('What is to be done'),
    note: optional(string('More about it')),
    status: oneOf(['open', 'completed'], 'Whether it is done'),
    location: optional(location),
    labels: optional(array(string('One label'), 'Words to find it by')),
    created_at: integer('Epoch milliseconds'),
    updated_at: integer('Epoch milliseconds'),
  },
  'One thing to do',
)

const input = object(
  {
    action: oneOf(ACTIONS, 'What to do with the list'),
    title: optional(string('What is to be done; needed to create', { minLength: 1 })),
    note: optional(string('More about it')),
    id: optional(string('Which one; needed to update, complete, reopen and delete', { minLength: 1 })),
    location: optional(location),
    labels: optional(array(string('One label'), 'Words to find it by')),
    filter: optional(
      object(
        {
          status: optional(oneOf(['open', 'completed'], 'Only those')),
          label: optional(string('Only those with this label')),
          path: optional(string('Only those that point into this file')),
        },
        'Which ones to list',
      ),
    ),
    export_path: optional(string('The page to write on export', { minLength: 1 })),
  },
  'An action on the list of things to do',
)

const output = object(
  {
    task: optional(todo),
    tasks: optional(array(todo, 'What the filter lets through')),
    deleted: optional(boolean('Whether it is gone')),
    id: optional(string('What is gone')),
    path: optional(string('The page that was written')),
    count: optional(integer('How many stand on it')),
  },
  'What came of it',
)

type Args = Infer<typeof input>
type Result = Infer<typeof output>
type Todo = Infer<typeof todo>

/** Keeps a light list of things to do, without touching any file unless it is exported. */
export const todoWrite = defineTool({
  name: 'todo_write',
  version: '1.0.0',
  description: 'Keep a list of things to do during a session; export writes it to a page',
  effect: 'edit',
  effectOf: ({ action }) => (action === 'export' ? 'edit' : 'read'),
  input,
  output,
  capabilities: ['filesystem.read', 'filesystem.write', 'system.time', 'state.read', 'state.write'],
  limits: { timeout: 'file_operations' },
  risk: ({ action }) => (action === 'export' ? 'Medium' : 'Low'),
  check: ({ action, title, id }) => {
    if (action === 'create' && title === undefined) return 'create needs a title'
    return NEEDS_ID.has(action) && id === undefined ? `${action} needs an id` : null
  },
  claims: ({ action, location: place, export_path }) => [
    ...(place === undefined ? [] : [{ path: place.path, intent: 'read' as const }]),
    ...(action === 'export' ? [{ path: export_path ?? DEFAULT_PAGE, intent: 'write' as const }] : []),
  ],
  summary: ({ action, title, id, export_path }) =>
    action === 'export'
      ? `Write the list of things to do to ${export_path ?? DEFAULT_PAGE}`
      : `To-do: ${action} ${title ?? id ?? ''}`.trimEnd(),
  run(args, { store, edits, now }): Result {
    const list = openList<Todo>(store, 'todos', 't')
    const at = now()
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
        return {
          task: list.change(args.id, (item) => ({
            ...item,
            ...given({ title: args.title, ...fieldsOf(args) }),
            updated_at: at,
          })),
        }
      case 'complete':
        return { task: list.change(args.id, (item) => ({ ...item, status: 'completed', updated_at: at })) }
      case 'reopen':
        return { task: list.change(args.id, (item) => ({ ...item, status: 'open', updated_at: at })) }
      case 'delete':
        return { deleted: true, id: list.remove(args.id) }
      case 'list':
        return { tasks: filterItems(list.all(), args.filter ?? {}, pathsOf) }
      case 'export': {
        const items = list.all()
        return {
          path: exportPage(args.export_path ?? DEFAULT_PAGE, 'To do', items.map(showTodo), edits),
          count: items.length,
        }
      }
    }
  },
})

function fieldsOf({ note, location: place, labels }: Args) {
  return { note, location: place, labels }
}

function pathsOf({ location: place }: Todo): readonly string[] {
  return place === undefined ? [] : [place.path]
}

function showTodo({ title, note, status, location: place, labels }: Todo): string {
  const mark = status === 'completed' ? 'x' : ' '
  const where = place === undefined ? '' : ` (${showPlace(place)})`
  const words = labels === undefined || labels.length === 0 ? '' : ` [${labels.join(', ')}]`
  return `- [${mark}] ${oneLine(title)}${where}${words}${note === undefined ? '' : `: ${oneLine(note)}`}`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ')
}
