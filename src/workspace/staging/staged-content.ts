/** The bytes of a file before and after a call; null means that there is no such file. */
export interface StagedContent {
  readonly path: string
  readonly absolute: string
  /** Whether the content before is only assumed to be left by an earlier call of the batch. */
  readonly isAssumed: boolean
  readonly before: Uint8Array | null
  /** The digest of the content before, if it is known. */
  readonly beforeDigest?: string | undefined
  readonly after: Uint8Array | null
}
