import { hiddenLines, tailLines } from '../view/output-tail.ts'
import type { CallBlock } from '../view/view.ts'
import { fit, plainLine, spread } from './canvas.ts'
import type { Canvas } from './canvas.ts'
import { barRow } from './draw-diff.ts'
import type { ShownTask } from '../../../runtime/sessions/read-tasks.ts'

/** Draws the title of the output pane. */
export function drawPaneTitle(
  call: CallBlock,
  canvas: Canvas,
  maxLines: number,
  isFollowing: boolean,
): string {
  const { paint, columns } = canvas
  const hidden = hiddenLines(call.tail, maxLines)
  const more = hidden === 0 ? '' : `${hidden} lines before these`
  const state = isFollowing ? '' : 'scrolled up'
  const right = [more, state].filter((part) => part !== '').join(' · ')
  return spread(
    paint('dim', fit(` output of ${plainLine(call.name)}`, columns)),
    paint('dim', right),
    columns,
  )
}

/** Draws the last output lines of a running command; only the last `seen` of them if no others are on the screen. */
export function drawPane(
  call: CallBlock,
  canvas: Canvas,
  maxLines: number,
  seen = Infinity,
): readonly string[] {
  const lines = tailLines(call.tail, maxLines, seen)
  const from = lines.length - seen
  return lines.map((line, index) => (index < from ? '' : barRow(line.replaceAll('\t', '    '), canvas)))
}

const MOST = 10
const MARKS: Readonly<Record<string, string>> = { completed: 'x', in_progress: '>', blocked: '!' }

/** Draws the task list. */
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
