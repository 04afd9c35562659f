/** Tells of a long run while it goes on, and leaves its figures in the log. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
