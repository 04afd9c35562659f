/** What was left of the machine when somebody last looked; what the system does not tell is left out. */
export interface Availability {
  readonly disks: readonly DiskRoom[]
  readonly descriptors: { readonly open: number; readonly limit: number } | null
}

/** Room on the disk under a folder. */
export interface DiskRoom {
  /** For people. */
  readonly folder: 'the workspace' | 'the state folder'
  readonly path: string
  readonly freeBytes: number
}
