import type { Settings } from '../config/keys.ts'
import { toolError } from '../core/error.ts'
import type { ToolError } from '../core/error.ts'

/** The resources available at the last check; those that the system does not report are left out. */
export interface Availability {
  readonly disks: readonly DiskRoom[]
  readonly descriptors: { readonly open: number; readonly limit: number } | null
}

/** Free space on the disk that contains a folder. */
export interface DiskRoom {
  /** For display. */
  readonly folder: 'the workspace' | 'the state folder'
  readonly path: string
  readonly freeBytes: number
}

/** The resources that must be available before a call starts. */
export type ResourceNeeds = Pick<
  Settings,
  'tools.resources.min_free_bytes' | 'tools.resources.min_free_descriptors'
>

/** What is short, and the error of a call that cannot start because of it. */
export interface Shortage {
  readonly fact: string
  readonly error: ToolError
}

/** Finds the first resource that is short; null if there is enough of everything. */
export function findShortage({ disks, descriptors }: Availability, needs: ResourceNeeds): Shortage | null {
  const bytes = needs['tools.resources.min_free_bytes']
  const tight = disks.find(({ freeBytes }) => freeBytes < bytes)
  if (tight !== undefined) {
    const { folder, path, freeBytes } = tight
    return short(
      `${freeBytes} bytes are free on the disk of ${folder}, and at least ${bytes} must be`,
      { resource: 'disk', path, free_bytes: freeBytes, min_free_bytes: bytes },
      'Make room on that disk, or lower tools.resources.min_free_bytes.',
    )
  }
  const most = needs['tools.resources.min_free_descriptors']
  if (descriptors === null || descriptors.limit - descriptors.open >= most) return null
  const { open, limit } = descriptors
  return short(
    `${open} files are open of at most ${limit}, and at least ${most} more must be possible`,
    { resource: 'descriptors', open, limit, min_free_descriptors: most },
    'Close files or raise the limit of the process (ulimit -n), or lower tools.resources.min_free_descriptors.',
  )
}

function short(fact: string, details: ToolError['details'], advice: string): Shortage {
  return { fact, error: toolError('resource_exhausted', `Not started: ${fact}.`, details, [advice]) }
}
