/** A file with a prompt, whose name can be typed. */
export interface PromptFile {
  readonly name: string
  readonly path: string
  readonly bytes: Uint8Array
}

/** A file that cannot be used, and why. */
export interface UnusableFile {
  /** The name it would have, safe to show. */
  readonly name: string
  readonly path: string
  readonly why: string
}

/** What a folder of prompts holds. */
export interface PromptFiles {
  readonly files: readonly PromptFile[]
  readonly unusable: readonly UnusableFile[]
}

/** Whose file it is. */
export type PromptOwner = 'user' | 'project'
