/** A longer line is not one that a program writes for people. */
const LINE_CHARS = 2_000

/**
 * The lines of what a program printed, each as far as it is worth reading. A hostile one prints a line of any length, on
 * which a pattern that looks for a name in a sentence would take minutes.
 */
export function shortLines(text: string): readonly string[] {
  return text.split(/\r?\n/).map((line) => line.slice(0, LINE_CHARS))
}
