import type { NoticeOutput } from './wait-notice.ts'

/** Shows how many files are in place, on one row that is cleared at the end; nothing where no row can be overwritten. */
export function printProgress(
  what: 'landing' | 'undoing' | 'redoing',
  { write, clearRow, canRewrite }: NoticeOutput,
): (done: number, total: number) => void {
  return (done, total) => {
    if (!canRewrite) return
    clearRow()
    if (done < total) write(`tongs: ${what}, ${done} of ${total} files`)
  }
}
