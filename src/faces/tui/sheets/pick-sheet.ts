import { fit, plainLine, spread, wrap } from '../draw/canvas.ts'
import type { Canvas } from '../draw/canvas.ts'
import { ONE_MOMENT } from './sheet.ts'

/** One of the rows to pick from. */
export interface PickRow {
  readonly label: string
  /** Shown at the end of the row. */
  readonly detail: string
  /** More words by which it is found, read when a search begins. */
  readonly words?: () => string
}

/** A list to pick from. */
export interface Picker {
  readonly title: string
  readonly rows: readonly PickRow[]
  /** Whether picking a row means all rows above it too. */
  readonly takesAbove?: boolean
  /** What Enter does, in words. */
  readonly enter: string
}

/** An open list: what was typed to search it, and the selected row among those found. */
export interface PickState {
  readonly picker: Picker
  readonly typed: string
  readonly at: number
}

/** What a key did: the list stays open, or ended with a row or none. */
export type PickStep =
  | { readonly is: 'open'; readonly state: PickState }
  | { readonly is: 'done'; readonly row: number | null }

/** The rows that what was typed finds, by their places in the list: every word has to be in the row or its words. */
export function findRows({ picker, typed }: Pick<PickState, 'picker' | 'typed'>): readonly number[] {
  const wanted = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return picker.rows.flatMap(({ label, detail, words }, place) => {
    const shown = `${label} ${detail}`.toLowerCase()
    const missing = wanted.filter((word) => !shown.includes(word))
    if (missing.length === 0) return [place]
    const more = words?.().toLowerCase() ?? ''
    return missing.every((word) => more.includes(word)) ? [place] : []
  })
}

/** What a key does to the list. */
export function pressPick(state: PickState, key: string, text: string): PickStep {
  const found = findRows(state)
  const move = (by: number): PickStep => {
    const at = Math.max(0, Math.min(found.length - 1, state.at + by))
    return { is: 'open', state: { ...state, at } }
  }
  switch (key) {
    case 'escape':
      return { is: 'done', row: null }
    case 'enter': {
      const row = found[state.at]
      return row === undefined ? { is: 'open', state } : { is: 'done', row }
    }
    case 'up':
      return move(-1)
    case 'down':
      return move(1)
    case 'pageUp':
      return move(-PAGE_ROWS)
    case 'pageDown':
      return move(PAGE_ROWS)
    case 'backspace':
      return { is: 'open', state: { ...state, typed: [...state.typed].slice(0, -1).join(''), at: 0 } }
    default:
      return text === ''
        ? { is: 'open', state }
        : { is: 'open', state: { ...state, typed: state.typed + text, at: 0 } }
  }
}

const PAGE_ROWS = 10

/** Draws the list around the selected row. */
export function drawPick(
  state: PickState,
  canvas: Canvas,
  height: number,
  acceptsKeys: boolean,
): readonly string[] {
  const { picker, typed, at } = state
  const { paint, columns } = canvas
  const found = findRows(state)
  const title = wrap(plainLine(picker.title), columns - 2).map((row) => paint('inverse', ` ${row} `))
  const head = [...title, ` search: ${plainLine(typed)}`]
  const keys = `Up, Down choose · Enter ${picker.enter} · type to search · Esc cancel`
  const foot = acceptsKeys ? wrap(keys, columns, ' ') : [ONE_MOMENT]
  const room = Math.max(1, height - head.length - foot.length)
  const first = Math.max(0, Math.min(at - Math.floor(room / 2), found.length - room))
  const rows = found.slice(first, first + room).map((place, index) => {
    const { label, detail } = picker.rows[place] ?? { label: '', detail: '' }
    const number = first + index
    const isTaken = number === at || (picker.takesAbove === true && number < at)
    const mark = number === at ? '>' : isTaken ? '|' : ' '
    const row = spread(` ${mark} ${plainLine(label)}`, plainLine(detail), columns)
    return number === at ? paint('bold', row) : row
  })
  const none = found.length === 0 ? [paint('dim', '   nothing was found')] : rows
  return [...head, ...none, ...foot.map((row) => paint('dim', row))].map((row) => fit(row, columns))
}
