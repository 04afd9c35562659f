import type { NoticeOutput } from './wait-notice.ts'

/** Shows how many files are in place, on one row that is cleared at the end; nothing where no row can be overwritten. */
export function printProgress(
  what: 'landing' | 'undoing' | 'redoing',
  { write, canRewrite }: NoticeOutput,
): (done: number, total: number) => void {
  return (done, total) => {
    if (!canRewrite) return
    write(done === total ? '\r\u001b[K' : `\r\u001b[Ktongs: ${what}, ${done} of ${total} files`)
  }
}
