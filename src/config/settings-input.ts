import type { Key, Settings } from './keys.ts'

/** Something in the configuration that cannot be used. */
export interface ConfigProblem {
  /** The file, variable or option that contains it. */
  readonly source: string
  readonly line?: number
  readonly column?: number
  /** The key, or the path inside its value. */
  readonly key?: string
  /** What is wrong, worded to follow the key. */
  readonly message: string
  readonly hint?: string
}

/** A file's name and its contents. */
export interface FileText {
  readonly path: string
  readonly text: string
}

/** The sources of a configuration; the caller has read the files and the environment. */
export interface SettingsInput {
  /** The value of `--profile`. */
  readonly profile?: string | undefined
  readonly userFile?: FileText | undefined
  /** Can only tighten unless it is trusted. */
  readonly projectFile?: (FileText & { readonly trusted: boolean }) | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** The file named by `--config`. */
  readonly configFile?: FileText | undefined
  /** The value of `--preset`; it takes precedence over `--config`. */
  readonly preset?: string | undefined
  /** Values passed by a program, nested or by dotted name; they rank between the preset and `--set`. */
  readonly given?: Readonly<Record<string, unknown>> | undefined
  /** The value of each `--set`. */
  readonly set: readonly string[]
  /** Can only tighten, and nothing overrides it. */
  readonly managedFile?: FileText | undefined
}

export interface LoadedSettings {
  readonly ok: true
  readonly settings: Settings
  /** The same without the project's file, trusted or not: for programs of the user's own, which no project is to affect. */
  readonly personal: Settings
  /** Where each value comes from. */
  readonly origin: Readonly<Record<Key, string>>
  /** Where an item of a list is, such as `config.toml:3:1`; null if it comes from no layer. */
  readonly locate: (key: Key, item: unknown) => string | null
  /** What was left out or looks odd, in one or two sentences each. */
  readonly notices: readonly string[]
  /** The file that was named for this run alone, if any. */
  readonly configFile?: string
  /** Reads the same layers as they are now; rejects with every problem found. */
  readonly reload?: () => Promise<LoadedSettings>
}

export type SettingsResult =
  | LoadedSettings
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }
