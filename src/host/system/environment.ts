/** The variables that this process was started with, and what it has set since. */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env
}
