import { defineTool } from './define/define-tool.ts'
import { integer, object, oneOf, optional, string } from '../schema/schema.ts'
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

const ACTIONS = ['create', 'update', 'complete', 'reopen', 'delete', 'list', 'export'] as const
const STATUSES = ['open', 'completed'] as const
const NEEDS_ID: ReadonlySet<string> = new Set(['update', 'complete', 'reopen', 'delete'])

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
    id: string('Its permanent id'),
    title: string('What is to be done'),
    note: optional(string('More about it')),
    status: oneOf(STATUSES, 'Whether it is done'),
    location: optional(location),
    labels,
    ...times,
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
    labels,
    filter: filterBy(STATUSES),
    export_path: exportPath,
  },
  'An action on the to-do list',
)

const output = answerAbout(todo)

type Args = Infer<typeof input>
type Result = Infer<typeof output>
type Todo = Infer<typeof todo>

/** Keeps a lightweight to-do list; touches no file unless it is exported. */
export const todoWrite = defineTool({
  name: 'todo_write',
  version: '1.0.0',
  description: 'Keep a list of things to do during a session; export writes it to a page',
  ...listTool,
  input,
  output,
  rare: ['labels', 'filter', 'export_path', 'location'],
  check: ({ action, title, id }) => {
    if (action === 'create' && title === undefined) return 'create needs a title'
    return NEEDS_ID.has(action) && id === undefined ? `${action} needs an id` : null
  },
  claims: (args) => claimsOf(args, pathsOf(args)),
  rebase: ({ location: place, ...args }, move) => ({
    ...moveListPaths(args, move),
    ...(place === undefined ? {} : { location: { ...place, path: move(place.path) } }),
  }),
  summary: (args) =>
    args.action === 'export'
      ? `Write the to-do list to ${pageOf(args)}`
      : `To-do: ${args.action} ${args.title ?? args.id ?? ''}`.trimEnd(),
  present: { text: renderList, mayTruncate: false },
  run: (args, powers): Result => markDryRun(args, act(args, powers), powers),
})

function act(args: Args, powers: PowersOf['edit']): Result {
  const { store, now } = powers
  const list = openList<Todo>(store, 'todos', 't')
  const at = now()
  switch (args.action) {
    case 'create':
      return { task: list.add((id) => newItem(id, args.title ?? '', fieldsOf(args), at)) }
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
    case 'export':
      return exportList(list.all(), { path: pageOf(args), title: 'To do', show: showTodo }, powers)
  }
}

function fieldsOf({ note, location: place, labels: words }: Args) {
  return { note, location: place, labels: words }
}

function pathsOf({ location: place }: Pick<Todo, 'location'>): readonly string[] {
  return place === undefined ? [] : [place.path]
}

function showTodo({ title, note, status, location: place, labels: found = [] }: Todo): readonly string[] {
  const mark = status === 'completed' ? 'x' : ' '
  const where = place === undefined ? '' : ` (${showPlace(place)})`
  const words = found.length === 0 ? '' : ` [${found.join(', ')}]`
  return [`- [${mark}] ${oneLine(title)}${where}${words}${note === undefined ? '' : `: ${oneLine(note)}`}`]
}

function oneLine(text: string): string {
  if (!text.includes('\n')) return text
  const lines = text.split('\n').map((line) => line.trim())
  return lines.filter((line) => line !== '').join(' ')
}
