import type { SessionLog } from '../../journal/log.ts'

/** The calls of a session that people mean by ids or beginnings of ids, or what is wrong with one of these. */
export function nameCalls(log: SessionLog, beginnings: readonly string[]): readonly string[] | string {
  const ended = new Set<string>()
  for (const { entry } of log.newestFirst()) if (entry.kind === 'settled') ended.add(entry.execution)
  const named: string[] = []
  for (const beginning of beginnings) {
    const meant = ended.has(beginning) ? [beginning] : [...ended].filter((id) => id.startsWith(beginning))
    if (meant.length > 1) return `Nothing was undone: ${beginning} could be ${meant.join(', ')}.`
    // One that is unknown is told apart by who looks for its changes.
    named.push(meant[0] ?? beginning)
  }
  return named
}
