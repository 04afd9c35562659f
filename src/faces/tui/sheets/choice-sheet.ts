import { createFilter } from '../../../setup/setup-dialogs.ts'
import type { Choice, ChoiceQuestion } from '../../../setup/setup-dialogs.ts'
import { columnsOf } from '../../../terminal/fit-rows.ts'
import { fit, plainLine, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'
import { ONE_MOMENT } from './sheet.ts'
import type { SheetStack } from './sheet.ts'

/** Longer than any key. */
const MOST_CHARS = 8_192
const NONE: ReadonlySet<string> = new Set()
const PAGE_ROWS = 10

/** Lets the user choose from a list that typing filters; Enter takes the marked row. Null if none was taken. */
export function askChoice<T>(stack: SheetStack, question: ChoiceQuestion<T>): Promise<T | null> {
  const { promise, resolve } = Promise.withResolvers<T | null>()
  const find = createFilter(question)
  let typed = ''
  let at = 0

  function take(): void {
    const chosen = find(typed)[at]
    if (chosen !== undefined) resolve(chosen.value)
    else {
      const other = question.other?.(typed) ?? null
      if (other !== null) resolve(other)
    }
  }

  const move = (by: number): void => {
    at = Math.max(0, Math.min(find(typed).length - 1, at + by))
  }
  const moves = new Map([
    ['up', -1],
    ['down', 1],
    ['pageUp', -PAGE_ROWS],
    ['pageDown', PAGE_ROWS],
  ])

  const close = stack.open({
    draw: (canvas, height, acceptsKeys) =>
      drawChoice(question, { typed, at, offered: find(typed) }, canvas, { height, acceptsKeys }),
    press(key, text) {
      const by = moves.get(key)
      if (key === 'escape') resolve(null)
      else if (key === 'enter') take()
      else if (by !== undefined) move(by)
      else {
        typed = editText(typed, key, text)
        at = 0
      }
    },
    deciding: NONE,
    harmless: NONE,
    isExpected: question.isExpected === true,
    takesText: () => true,
  })
  return promise.finally(close)
}

interface ChoiceView {
  readonly typed: string
  readonly at: number
  readonly offered: readonly Choice<unknown>[]
}

interface Place {
  readonly height: number
  readonly acceptsKeys: boolean
}

/** Draws the list around the marked row. */
function drawChoice(
  { title, rows = [], other, enter = 'takes it', takesAbove = false }: ChoiceQuestion<unknown>,
  { typed, at, offered }: ChoiceView,
  canvas: Canvas,
  { height, acceptsKeys }: Place,
): readonly string[] {
  const { paint, columns } = canvas
  const head = drawHead(title, rows, canvas)
  const keys = `Up, Down choose · Enter ${enter} · Esc back`
  const foot = acceptsKeys ? wrap(keys, columns, ' ') : [ONE_MOMENT]
  const room = Math.max(3, height - head.length - foot.length - 1)
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), offered.length - room))
  const list = offered.slice(first, first + room).map((choice, index) => {
    const place = first + index
    const mark = place === at ? '>' : takesAbove && place < at ? '|' : ' '
    const { row, note } = fitChoice(choice, mark, columns)
    return place === at ? paint('inverse', row + note) : row + paint('dim', note)
  })
  const left = offered.length - list.length
  const filter = typed === '' ? paint('dim', ' type to search') : ` ${plainLine(typed)}_`
  const count = left > 0 ? paint('dim', `   (${left} more)`) : ''
  const nothing =
    other === undefined ? ' Nothing matches that.' : ' Not in the list; Enter takes it as typed.'
  return [
    ...head,
    ...(list.length === 0 ? [nothing] : list),
    filter + count,
    ...foot.map((row) => paint('dim', row)),
  ].map((row) => fit(row, columns))
}

/** A row and its note; a long label gives way to a note of up to half the width. */
function fitChoice({ label, note }: Choice<unknown>, mark: string, columns: number) {
  const row = ` ${mark} ${plainLine(label)}`
  const more = note === undefined ? '' : `  ${plainLine(note)}`
  const isShort = columnsOf(more) <= columns / 2
  const shown = fit(row, isShort ? columns - columnsOf(more) : columns)
  return { row: shown, note: fit(more, Math.max(1, columns - columnsOf(shown))) }
}

/** What was typed so far after another key. */
export function editText(typed: string, key: string, text: string): string {
  if (key === 'backspace') return [...typed].slice(0, -1).join('')
  if (key === 'ctrl+u') return ''
  return text === '' || typed.length + text.length > MOST_CHARS ? typed : typed + text
}

/** A title, and what is said below it. */
export function drawHead(
  title: string,
  rows: readonly string[],
  { paint, columns }: Canvas,
): readonly string[] {
  return [
    ...wrap(plainLine(title), columns - 2).map((row) => paint('inverse', ` ${row} `)),
    ...rows.flatMap((row) => wrap(plainLine(row), columns, ' ')),
  ]
}
