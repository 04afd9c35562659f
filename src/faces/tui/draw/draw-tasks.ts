import type { ShownTask } from '../../../runtime/sessions/read-tasks.ts'
import { fit, plainLine } from './canvas.ts'
import type { Canvas } from './canvas.ts'

const MOST = 10
const MARKS: Readonly<Record<string, string>> = { completed: 'x', in_progress: '>', blocked: '!' }

/** What is to be done, as a panel. */
export function drawTasks(tasks: readonly ShownTask[], { paint, columns }: Canvas): readonly string[] {
  const done = tasks.filter(({ status }) => status === 'completed').length
  const head = paint('bold', ` Tasks  ${done} of ${tasks.length} done`)
  if (tasks.length === 0) return [` ${paint('bold', 'Tasks')}  nothing to do`]
  const open = tasks.filter(({ status }) => status !== 'completed')
  const shown = [...open, ...tasks.filter(({ status }) => status === 'completed')].slice(0, MOST)
  const rows = shown.map(({ title, status }) => {
    const row = ` [${MARKS[status] ?? ' '}] ${plainLine(title)}${status === 'blocked' ? ' (blocked)' : ''}`
    return status === 'completed' ? paint('dim', row) : status === 'in_progress' ? paint('bold', row) : row
  })
  const more = tasks.length > MOST ? [paint('dim', `     … ${tasks.length - MOST} more`)] : []
  return [head, ...rows, ...more].map((row) => fit(row, columns))
}
