/** How many rows have been on the screen without a gap, from the first one on, at a width. */
export interface SeenRows {
  readonly columns: number
  readonly rows: number
}

/** A part of some rows as it was drawn: a page of them from `top` on. */
export interface DrawnPart {
  readonly columns: number
  readonly top: number
  readonly page: number
  /** How many rows there are. */
  readonly rows: number
}

/** The same after another part was drawn; at another width, the rows are other ones. */
export function seeRows(before: SeenRows, { columns, top, page, rows }: DrawnPart): SeenRows {
  const known = before.columns === columns ? before.rows : 0
  return { columns, rows: top > known ? known : Math.max(known, Math.min(rows, top + page)) }
}
