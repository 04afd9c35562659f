import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Why no bug can be planted for a requirement, by its id. */
export type Reasons = Readonly<Record<string, string>>

/** What says of each requirement how it stands with planted bugs. */
export interface Coverage {
  readonly known: ReadonlySet<string>
  /** The ids that have a row. */
  readonly planted: ReadonlySet<string>
  readonly reasons: Reasons
  /** The ids that have neither yet. */
  readonly open: readonly string[]
  /** The open ids in earlier commits. */
  readonly earlier: readonly (readonly string[])[]
}

const REASONS = 'data/mutation-reasons.json'
const OPEN = 'data/open-mutations.json'

/** The reasons why some ids have no row. */
export function readReasons(top: string): Reasons {
  return JSON.parse(readFileSync(join(top, REASONS), 'utf8')) as Reasons
}

/** The ids that still want a row or a reason. */
export function readOpenMutations(top: string): readonly string[] {
  return JSON.parse(readFileSync(join(top, OPEN), 'utf8')) as readonly string[]
}

/** The open ids in every commit that changed them; none where there is no repository. */
export function readEarlierOpenMutations(top: string): readonly (readonly string[])[] {
  const commits = git(top, ['log', '--format=%H', '--', OPEN])?.split('\n') ?? []
  return commits.flatMap((commit) => {
    const text = commit === '' ? null : git(top, ['show', `${commit}:./${OPEN}`])
    return text === null ? [] : [JSON.parse(text) as readonly string[]]
  })
}

/** Each requirement has a row, a reason or a place on the open list, which only shrinks; whatever breaks that is named. */
export function findCoverageFaults({ known, planted, reasons, open, earlier }: Coverage): readonly string[] {
  const faults: string[] = []
  const waiting = new Set(open)
  for (const id of known) {
    const ways = [
      planted.has(id) && 'a row',
      Object.hasOwn(reasons, id) && 'a reason',
      waiting.has(id) && 'a place on the open list',
    ].filter((way) => way !== false)
    if (ways.length === 0) faults.push(`${id} has neither a row nor a reason`)
    if (ways.length > 1) faults.push(`${id} has ${ways.join(' and ')}`)
  }
  for (const [id, reason] of Object.entries(reasons)) {
    if (!known.has(id)) faults.push(`there is a reason for ${id}, which is not a requirement's id`)
    if (!/^[A-Z].+\.$/s.test(reason)) faults.push(`the reason for ${id} is not a sentence`)
  }
  for (const id of waiting) {
    if (!known.has(id)) faults.push(`${id} is open and not a requirement's id`)
    if (earlier.some((before) => !before.includes(id))) faults.push(`${id} was not open before`)
  }
  if (waiting.size < open.length) faults.push('an id is on the open list twice')
  return faults
}

function git(top: string, args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: top, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return null
  }
}
