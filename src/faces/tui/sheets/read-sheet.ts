import { fit, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'
import { seeRows } from './seen-rows.ts'
import type { SeenRows } from './seen-rows.ts'
import { ONE_MOMENT } from './sheet.ts'
import type { SheetStack } from './sheet.ts'

/** A question that a key decides once all of it has been on the screen. */
export interface ReadQuestion<T> {
  /** What there is to read, from the title on. */
  readonly lay: (canvas: Canvas) => readonly string[]
  /** What the keys mean. */
  readonly layKeys: (canvas: Canvas) => readonly string[]
  /** The keys that decide. */
  readonly decides: ReadonlyMap<string, T>
  /** The keys that leave everything as it is; they count at any time. */
  readonly leaves: ReadonlyMap<string, T>
}

/** What was drawn last, and how much has been read by then. */
interface Reading {
  readonly columns: number
  readonly top: number
  readonly page: number
  /** How many rows there were when the keys were shown last. */
  readonly rows: number
  readonly seen: SeenRows
  /** Whether a key came too early. */
  readonly isUnread: boolean
}

const UNREAD: Reading = {
  columns: 0,
  top: 0,
  page: 1,
  rows: Infinity,
  seen: { columns: 0, rows: 0 },
  isUnread: false,
}
/** Narrower rows tear words into single letters; a lower screen has no room for a row and for what is left. */
const LEAST = { columns: 12, rows: 2 } as const
const TOO_SMALL = 'There is no room to show the question. Make the window larger; Esc leaves it.'

/** Asks something that changes files or what a model is told: no key decides before every row was on the screen. */
export function askOnceRead<T>(stack: SheetStack, question: ReadQuestion<T>): Promise<T> {
  const { decides, leaves } = question
  const { promise, resolve } = Promise.withResolvers<T>()
  let now = UNREAD
  const close = stack.open({
    draw(canvas, height, acceptsKeys) {
      const keys = acceptsKeys ? question.layKeys(canvas) : [canvas.paint('dim', ONE_MOMENT)]
      const drawn = drawReading(now, [...question.lay(canvas), ...keys], canvas, { height, acceptsKeys })
      now = drawn.reading
      return drawn.rows
    },
    press(key) {
      const [left, decided] = [leaves.get(key), decides.get(key)]
      if (left !== undefined) resolve(left)
      else if (decided === undefined) now = { ...now, top: scrolled(now, key), isUnread: false }
      else if (isRead(now)) resolve(decided)
      else now = { ...now, isUnread: true }
    },
    deciding: new Set(decides.keys()),
    harmless: new Set(leaves.keys()),
  })
  return promise.finally(close)
}

/** Whether every row has been on the screen as wide as it is now. */
function isRead({ columns, rows, seen }: Reading): boolean {
  return seen.columns === columns && seen.rows >= rows
}

function scrolled({ top, page }: Reading, key: string): number {
  switch (key) {
    case 'up':
      return Math.max(0, top - 1)
    case 'down':
      return top + 1
    case 'pageUp':
      return Math.max(0, top - page)
    case 'pageDown':
      return top + page
    case 'home':
      return 0
    default:
      return top
  }
}

interface Place {
  readonly height: number
  readonly acceptsKeys: boolean
}

/** Draws what fits of the rows, and how many are above and below. */
function drawReading(
  before: Reading,
  all: readonly string[],
  { columns, paint }: Canvas,
  { height, acceptsKeys }: Place,
): { readonly rows: readonly string[]; readonly reading: Reading } {
  const isWhole = all.length <= height
  if (columns < LEAST.columns || (!isWhole && height < LEAST.rows)) {
    const said = wrap(TOO_SMALL, columns, ' ').slice(0, Math.max(1, height))
    return { rows: said.map((row) => fit(paint('yellow', row), columns)), reading: { ...UNREAD, columns } }
  }
  const page = isWhole ? all.length : height - 1
  const top = Math.min(before.top, all.length - page)
  const drawn = { columns, top, page, rows: all.length }
  const body = all.slice(top, top + page)
  const below = all.length - top - page
  const more = isWhole ? [] : [moreRow(top, below)]
  return {
    rows: [...body, ...more.map((row) => paint(before.isUnread ? 'yellow' : 'dim', row))].map((row) =>
      fit(row, columns),
    ),
    reading: {
      ...before,
      ...drawn,
      // What was in sight only until the keys were shown has hardly been seen.
      ...(acceptsKeys ? { seen: seeRows(before.seen, drawn) } : { rows: before.rows }),
    },
  }

  function moreRow(above: number, under: number): string {
    if (before.isUnread) return ` … read all first: PgDn, ${under} below`
    return ` … ${under} below, ${above} above: PgDn, PgUp`
  }
}
