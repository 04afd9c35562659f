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
}

const REASONS = 'data/mutation-reasons.json'

/** The reasons why some ids have no row. */
export function readReasons(top: string): Reasons {
  return JSON.parse(readFileSync(join(top, REASONS), 'utf8')) as Reasons
}

/** Each requirement has either a row or a reason; whatever breaks that is named. */
export function findCoverageFaults({ known, planted, reasons }: Coverage): readonly string[] {
  const faults: string[] = []
  for (const id of known) {
    const hasReason = Object.hasOwn(reasons, id)
    if (!planted.has(id) && !hasReason) faults.push(`${id} has neither a row nor a reason`)
    if (planted.has(id) && hasReason) faults.push(`${id} has a row and a reason`)
  }
  for (const [id, reason] of Object.entries(reasons)) {
    if (!known.has(id)) faults.push(`there is a reason for ${id}, which is not a requirement's id`)
    if (!/^[A-Z].+\.$/s.test(reason)) faults.push(`the reason for ${id} is not a sentence`)
  }
  return faults
}
