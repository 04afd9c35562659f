export const PANE_ROWS = 12
/** A sheet leaves part of the conversation visible, unless the screen is low. */
const SHEET_SHARE = 0.75
const LOW_ROWS = 22

/** How many rows a sheet may take. */
export function sheetRows(rows: number): number {
  return Math.max(Math.floor(rows * SHEET_SHARE), Math.min(rows - 1, LOW_ROWS))
}
