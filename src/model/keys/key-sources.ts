import type { Environment } from '../../host/fs/folders.ts'

/** A command that prints a key, and whose key it is. */
export interface KeyCommand {
  readonly words: readonly string[]
  /** The provider and the server that the key is for; null is any. */
  readonly provider: string | null
  readonly baseUrl: string | null
}

/** What looking for keys has of the machine. */
export interface KeyWorld {
  readonly env: Environment
  /** The folders that models work in: no program in them prints a key. */
  readonly roots: readonly string[]
}

/** Takes a notice for the user. */
export type OnOpenFile = (notice: string) => void

/** Where keys may be found. Apart from what finds them, so that the library's types do not depend on the providers' packages. */
export interface KeySources extends KeyWorld {
  /** The user's key file; null if it is not read. */
  readonly file: string | null
  readonly command: KeyCommand | null
  /** Called with what to say if others could read the key file until it was read. */
  readonly onOpenFile?: OnOpenFile
}
