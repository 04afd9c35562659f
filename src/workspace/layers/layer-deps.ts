import type { GitBelow } from '../../host/confine/confinement.ts'
import type { AttributeCache } from '../landing/attribute-cache.ts'
import type { DigestCache } from '../landing/digest-cache.ts'
import type { Root } from '../../host/root/root.ts'
import type { OwnPath } from '../sandbox/own-paths.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** What happens to the changes of a command, as settings say. */
export interface LayerSettings {
  /** Whether a new file of a denied name does not land, or nothing lands because of it. */
  readonly onDenied: 'leave_out' | 'refuse'
  /** Globs of what never lands. */
  readonly throwaway: readonly string[]
  readonly maxBytes: number
  readonly maxFiles: number
  /** The largest file that is shown in the diff and given to content checks. */
  readonly maxFileBytes: number
}

/** What reading a layer needs. */
export interface LayerReadDeps {
  readonly sandbox: Sandbox
  /** What in the roots belongs to Tongs itself. */
  readonly own: readonly OwnPath[]
  readonly settings: LayerSettings
  /** The repositories at and below a folder, by their names; null if there are too many folders. */
  readonly findGitIn: (absolute: string) => GitBelow | null
  /** Absolute folders that commands change at once. */
  readonly passthrough?: readonly string[]
  readonly signal?: AbortSignal
  /** Told what was hashed, so that landing need not read it again. */
  readonly digests?: Pick<DigestCache, 'note'>
  /** Told which files on the layer have no extended attributes, so that they are not asked about again. */
  readonly attributeCache?: Pick<AttributeCache, 'noteNone'>
  /** Whether names of a root that differ only in case name the same file; found out if absent. */
  readonly foldsCase?: (root: Root) => boolean
  /** The user's home folder, whose git configuration counts. */
  readonly home?: string
}
