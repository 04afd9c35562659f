import type { UnusableFile } from '../prompt-files/prompt-file.ts'

/** A command that is a file: the user's own, or one of the project. */
export interface OwnCommand {
  /** As it is typed after the slash, such as `review` or `git:message`. */
  readonly name: string
  /** One line that is safe to show. */
  readonly description: string
  /** Its arguments as the help shows them, safe to show; empty if the file names none. */
  readonly argumentHint: string
  readonly from: 'user' | 'project'
  readonly path: string
  /** The prompt, its placeholders not filled in. */
  readonly text: string
}

/** All commands that are files, each list in the order of names. */
export interface OwnCommands {
  readonly usable: readonly OwnCommand[]
  readonly unusable: readonly UnusableFile[]
}
