import { renderChangedLines } from './changed-lines.ts'

/** A result of an edit, as far as its text shows it. */
export interface ShownEdit {
  readonly dry_run?: boolean
  readonly diff?: string
  readonly truncated?: boolean
}

/** What was edited, then the lines that changed; a dry run shows the whole diff. */
export function renderEdit(head: string, edit: ShownEdit, withPaths = false): string {
  const { dry_run, diff = '', truncated } = edit
  const isDry = dry_run === true
  const shown = isDry ? diff.replace(/\n$/, '') : renderChangedLines(diff, { withPaths })
  return [
    isDry ? `dry run, nothing was changed: ${head}` : head,
    ...(shown === '' ? [] : [shown]),
    ...(truncated === true ? [isDry ? CUT_PREVIEW : CUT_CHANGE] : []),
  ].join('\n')
}

const CUT_PREVIEW = '[the rest of the diff was cut; change less at a time to see all of it]'
const CUT_CHANGE = '[the rest of the change was cut; read_file shows the lines]'

/** A number of things, with the plural if needed. */
export function numbered(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}
