import type { SettledRows } from '../draw/draw-settled.ts'

/** The parts of the screen; each gives its rows for a width. */
export interface ScreenParts {
  readonly transcript: (columns: number) => readonly string[]
  /** What of the conversation was not printed for good yet; `isLast` prints all of it. */
  readonly unprinted: (columns: number, isLast: boolean) => SettledRows
  readonly onClick: (row: number) => void
  readonly tasks: (columns: number) => readonly string[]
  readonly paneTitle: (columns: number, isFollowing: boolean) => readonly string[]
  /** The output of a running command. Only the last rows are drawn if no more than so many are `seen`; the others are empty. */
  readonly pane: (columns: number, seen: number) => readonly string[]
  /** How many lines of the pane's output are no longer in it. */
  readonly paneDropped: () => number
  /** Empty if no sheet is open. */
  readonly sheet: (columns: number, height: number) => readonly string[]
  readonly hasSheet: () => boolean
  /** `isLookingBack` if Esc leads back to the end of the conversation. */
  readonly status: (columns: number, isLookingBack: boolean) => readonly string[]
  /** Whether something is animated. */
  readonly isMoving: () => boolean
}

/** How many rows the output of a running command has. */
export const PANE_ROWS = 12
/** A sheet leaves part of the conversation visible, unless the screen is low. */
const SHEET_SHARE = 0.75
const LOW_ROWS = 22

/** How many rows a sheet may take. */
export function sheetRows(rows: number): number {
  return Math.max(Math.floor(rows * SHEET_SHARE), Math.min(rows - 1, LOW_ROWS))
}
