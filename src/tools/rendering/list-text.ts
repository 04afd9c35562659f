import { numbered } from './edit-text.ts'

interface ShownPlace {
  readonly path: string
  readonly line?: number
}

/** An item of either list, as far as its text shows it. */
export interface ShownItem {
  readonly id: string
  readonly title: string
  readonly status: string
  readonly note?: string
  readonly description?: string
  readonly priority?: string
  readonly labels?: readonly string[]
  readonly acceptance?: readonly string[]
  readonly location?: ShownPlace
  readonly links?: readonly ShownPlace[]
  readonly subtasks?: readonly { readonly id: string; readonly title: string; readonly done: boolean }[]
  readonly history?: readonly string[]
}

/** The result of an action on a list, as far as its text shows it. */
export interface ShownList {
  readonly task?: ShownItem
  readonly tasks?: readonly ShownItem[]
  readonly deleted?: boolean
  readonly id?: string
  readonly path?: string
  readonly count?: number
  readonly dry_run?: boolean
  readonly preview?: string
}

/** One item in a line with its id, the details of a single one below it; of a dry run, what it would have done. */
export function renderList({ preview, ...list }: ShownList): string {
  const done = renderAction(list)
  if (list.dry_run !== true) return done
  const diff = list.path === undefined ? '' : (preview ?? '')
  return `dry run, nothing was changed: ${done}\n${diff}`.trimEnd()
}

function renderAction({ task, tasks, deleted, id, path, count: items }: ShownList): string {
  if (tasks !== undefined) return tasks.length === 0 ? 'The list is empty.' : tasks.map(renderHead).join('\n')
  if (task !== undefined) return [renderHead(task), ...detailsOf(task)].join('\n')
  if (deleted === true) return `deleted ${id ?? ''}`.trimEnd()
  return `wrote ${path ?? ''} (${numbered(items ?? 0, 'item')})`
}

function renderHead({ id, title, status, priority, labels = [], location, note }: ShownItem): string {
  const facts = [status, ...(priority === undefined ? [] : [priority]), ...labels].join(', ')
  const place = location === undefined ? '' : ` at ${renderPlace(location)}`
  return `${id} [${facts}] ${title}${place}${note === undefined ? '' : `: ${note}`}`
}

function detailsOf(item: ShownItem): readonly string[] {
  return [
    ...(item.description === undefined ? [] : [item.description]),
    ...(item.acceptance ?? []).map((condition) => `done when: ${condition}`),
    ...(item.subtasks ?? []).map(({ id, title, done }) => `${id} [${done ? 'done' : 'open'}] ${title}`),
    ...(item.links ?? []).map((place) => `see ${renderPlace(place)}`),
    ...(item.history ?? []),
  ]
}

function renderPlace({ path, line }: ShownPlace): string {
  return line === undefined ? path : `${path}:${line}`
}
