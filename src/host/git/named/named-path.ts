import type { GitSetting } from '../git-setting.ts'

/** A path that a setting names. */
export interface NamedPath {
  readonly path: string
  /** Whether git runs it, reads its own settings from it, or finds programs in it. */
  readonly is: 'hooks' | 'template' | 'settings' | 'attributes' | 'program' | 'programs'
  /** Whether to protect it before it exists. An ordinary word of a command need not be a path at all. */
  readonly evenIfMissing: boolean
  /** Only files that can be executed. */
  readonly onlyExecutable?: boolean
  /** The work tree that it begins with, if it is one of many words that are looked for there. */
  readonly top?: string
  readonly setting: GitSetting
}
