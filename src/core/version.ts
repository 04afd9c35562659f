const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/

/** The three numbers of a semantic version. */
export interface Version {
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** Whether the text is a semantic version. */
export function isSemanticVersion(text: string): boolean {
  return VERSION.test(text)
}

/** Reads a semantic version, or null. */
export function parseVersion(text: string): Version | null {
  const found = VERSION.exec(text)
  if (found === null) return null
  return { major: Number(found[1]), minor: Number(found[2]), patch: Number(found[3]) }
}

/** A tool that was removed, and how that was announced. */
export interface Removal {
  readonly name: string
  readonly use: string
  readonly since: string
  /** The last version that still had it. */
  readonly lastIn: string
  readonly removedIn: string
}

/** What is wrong with a removal, or null: it needs two minor versions of warning before a major version removes it. */
export function findRemovalFault(removal: Removal): string | null {
  const timeline = findTimelineFault(removal.since, removal.removedIn)
  if (timeline !== null) return timeline
  const from = parseVersion(removal.since)
  const last = parseVersion(removal.lastIn)
  if (from === null || last === null) return `lastIn ${JSON.stringify(removal.lastIn)} is not like 1.2.3`
  if (last.major === from.major && last.minor - from.minor < 2) {
    return `deprecated in ${removal.since} and last seen in ${removal.lastIn}: it has to stay for two minor versions`
  }
  return null
}

/** What is wrong with a deprecation's timeline, or null: a tool is removed only in a later major version. */
export function findTimelineFault(since: string, removedIn: string): string | null {
  const from = parseVersion(since)
  const to = parseVersion(removedIn)
  if (from === null) return `since ${JSON.stringify(since)} is not like 1.2.3`
  if (to === null) return `removedIn ${JSON.stringify(removedIn)} is not like 1.2.3`
  if (to.major <= from.major || to.minor !== 0 || to.patch !== 0) {
    return `removedIn ${removedIn} must be a later major version such as ${from.major + 1}.0.0`
  }
  return null
}
