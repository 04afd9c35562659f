import { digest } from '../../host/system/hash.ts'
import type { Digest, FileState } from '../../journal/entries/entry.ts'
import { formatAttributes, parseAttributes } from '../landing/attribute-cache.ts'

/** Setuid and setgid. */
export const SPECIAL_BITS = 0o6000
export const CAPABILITIES = 'security.capability'

/** What is left of the rights of a program whose content changes. */
export interface OrdinaryRights {
  readonly mode: number
  readonly attributes: Pick<FileState, 'attributes'>
  /** What was taken, or null. */
  readonly lost: string | null
}

/**
 * Takes from a file whose content changes what would let the new content run with rights that the old one was trusted
 * with, as the system does when a program writes to it. `payloads` holds its attributes, and gets those that are left.
 */
export function withoutSpecialRights(
  { mode, attributes }: Pick<FileState, 'mode' | 'attributes'>,
  payloads: Map<Digest, Uint8Array>,
): OrdinaryRights {
  const payload = attributes === undefined ? undefined : payloads.get(attributes)
  const parsed = payload === undefined ? new Map<string, Uint8Array>() : new Map(parseAttributes(payload))
  const hasCapabilities = parsed.delete(CAPABILITIES)
  const lost = [
    ...((mode & SPECIAL_BITS) === 0 ? [] : ['setuid and setgid bits']),
    ...(hasCapabilities ? ['file capabilities'] : []),
  ]
  const left = hasCapabilities ? formatAttributes(parsed) : null
  if (left !== null) payloads.set(digest(left), left)
  const kept = hasCapabilities ? (left === null ? undefined : digest(left)) : attributes
  return {
    mode: mode & ~SPECIAL_BITS,
    attributes: kept === undefined ? {} : { attributes: kept },
    lost: lost.length === 0 ? null : lost.join(' and '),
  }
}

/** Says what a file lost. */
export function noteLost(path: string, lost: string): string {
  return `${path} loses its ${lost}, because its content changes`
}
