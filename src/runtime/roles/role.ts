import type { PromptOwner, UnusableFile } from '../prompt-files/prompt-file.ts'

/** A role of a delegated conversation, as its file says. */
export interface Role {
  /** As a call names it, such as `reviewer` or `docs:writer`. */
  readonly name: string
  /** One line that is safe to show. */
  readonly description: string
  /** The only tools it may have; null if the file names none. */
  readonly tools: readonly string[] | null
  /** The model it works with; null is that of the conversation around it. */
  readonly model: string | null
  readonly from: PromptOwner
  readonly path: string
  /** Its instructions. */
  readonly text: string
}

/** All roles that are files, each list in the order of names. */
export interface Roles {
  readonly usable: readonly Role[]
  readonly unusable: readonly UnusableFile[]
}
