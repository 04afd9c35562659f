import { showPath } from '../../../core/text/display/show-path.ts'
import { chooseOfEach } from '../../../core/text/choose-of-each.ts'
import { revertRows } from '../../../terminal/revert-rows.ts'
import { leaveOutMiddle } from '../../../terminal/fit-rows.ts'
import type { TurnEnding } from '../view/turn-ending.ts'
import type { Block, Tone } from '../view/view.ts'
import { plain, plainLine, wrap } from './canvas.ts'
import type { Canvas } from './canvas.ts'
import { drawCall } from './draw-call.ts'
import type { CallDisplay } from './draw-call.ts'
import { drawMarkdown } from './draw-markdown.ts'

const MARGIN = '   '
/** The minimum width of the second column of a table. */
const TABLE_COLUMNS = 40
const FILES_NAMED = 6
const MARKS: Readonly<Record<Tone, string>> = { plain: ' ', good: '✓', trouble: '!' }

/** Draws one block of the conversation. */
export function drawBlock(block: Block, display: CallDisplay, canvas: Canvas): readonly string[] {
  const { paint, columns } = canvas
  switch (block.kind) {
    case 'call':
      return drawCall(block, display, canvas)
    case 'said':
      return ['', ...saidRows(block.text, canvas)]
    case 'answer':
      return ['', ...drawMarkdown(block.text, canvas)]
    case 'reverted': {
      const by = block.by === null ? '' : ` by ${plain(block.by)}, outside the files`
      const word = `${block.is === 'undo' ? 'Undone' : 'Redone'}${by}`
      const rows = revertRows(block, '').flatMap((row) => wrap(plain(row), columns, MARGIN))
      return [` ${paint('green', '↶')} ${word}`, ...rows]
    }
    case 'recovered': {
      const doubt = block.inDoubt === 0 ? '' : `, ${block.inDoubt} in doubt`
      const word = block.choice === 'resume' ? 'kept what finished' : 'discarded what was left'
      return wrap(
        ` ${paint('yellow', '!')} After an interruption: ${word} (${block.calls} ${block.calls === 1 ? 'call' : 'calls'}${doubt}).`,
        columns,
      )
    }
    case 'notice':
      return notice(block.tone, block.text, canvas)
  }
}

/** Rows of what a person said; a long paste must not push what it is about off the screen. */
const SAID_ROWS = 20

function saidRows(text: string, { paint, columns }: Canvas): readonly string[] {
  const mark = `${paint('cyan', '>')} `
  const say = (missing: number): string => `${mark}${paint('dim', `… ${missing} rows left out`)}`
  return leaveOutMiddle(wrap(plain(text), columns, mark), SAID_ROWS, say).rows
}

function notice(tone: Tone, text: string, { paint, columns }: Canvas): readonly string[] {
  const style = tone === 'trouble' ? 'red' : tone === 'good' ? 'green' : 'dim'
  const rows = layTable(text.split('\n'), columns - MARGIN.length)
  return rows.map((row, index) => (index === 0 ? ` ${paint(style, MARKS[tone])} ${row}` : MARGIN + row))
}

/** Lines with a tab are table rows; if the table gets too narrow, the second column moves below the first. */
function layTable(lines: readonly string[], columns: number): readonly string[] {
  const pairs = lines.map((line) => line.split('\t'))
  const first = Math.max(
    0,
    ...pairs.flatMap(([name = '', rest]) => (rest === undefined ? [] : [name.length])),
  )
  const isWide = columns - first >= TABLE_COLUMNS
  return pairs.flatMap(([name = '', ...rest]) => {
    const left = plain(name)
    if (rest.length === 0) return wrap(left, columns)
    const right = plain(rest.join(' '))
    if (!isWide) return [...wrap(left, columns), ...wrap(right, columns, MARGIN)]
    const margin = ' '.repeat(first + 2)
    return wrap(right, columns, margin).map((row, at) =>
      at === 0 ? left.padEnd(first + 2) + row.slice(margin.length) : row,
    )
  })
}

/** Draws what a turn changed and how to undo it. */
export function drawEnding(ending: TurnEnding, { paint, columns }: Canvas): readonly string[] {
  const { files, status, calls, isNewest, isAboutFolders } = ending
  const chosen = chooseOfEach(files, FILES_NAMED, ({ is }) => is)
  const named = chosen.map(({ path, is }) => `${plainLine(showPath(path))} (${is})`)
  const more = files.length > FILES_NAMED ? `, and ${files.length - FILES_NAMED} more` : ''
  const way =
    status === 'undone'
      ? 'All of it was undone.'
      : isNewest
        ? calls > 1
          ? '/undo reverts it, /undo --last 1 only the last call.'
          : '/undo reverts it.'
        : ''
  const none = isAboutFolders ? 'Only folders changed.' : 'Nothing changed in the end.'
  const what = files.length === 0 ? none : `Changed: ${named.join(', ')}${more}.`
  return wrap(`${what} ${way}`.trimEnd(), columns, '   ').map((row) => paint('dim', row))
}
