import { hiddenLines, tailLines } from '../view/output-tail.ts'
import type { CallBlock } from '../view/view.ts'
import { fit, plain, spread } from './canvas.ts'
import type { Canvas } from './canvas.ts'
import { barRow } from './draw-diff.ts'

/** The title of the pane in which a running command is watched. */
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
  return spread(paint('dim', fit(` output of ${plain(call.name)}`, columns)), paint('dim', right), columns)
}

/** The last lines of a running command. */
export function drawPane(call: CallBlock, canvas: Canvas, maxLines: number): readonly string[] {
  return tailLines(call.tail, maxLines).map((line) => barRow(line.replaceAll('\t', '    '), canvas))
}
