import type { Key, Settings } from './keys.ts'

/** Something in the configuration that cannot be used. */
export interface ConfigProblem {
  /** The file, variable or option it stands in. */
  readonly source: string
  readonly line?: number
  readonly column?: number
  /** The key, or the place inside its value. */
  readonly key?: string
  /** What is wrong, in words that can follow the key. */
  readonly message: string
  readonly hint?: string
}

/** A file's name and what is in it. */
export interface FileText {
  readonly path: string
  readonly text: string
}

/** The texts that a configuration is made of; the caller has read the files and the environment. */
export interface SettingsInput {
  /** What `--profile` says. */
  readonly profile?: string | undefined
  readonly userFile?: FileText | undefined
  /** Only tightens unless it is trusted. */
  readonly projectFile?: (FileText & { readonly trusted: boolean }) | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** What `--config` names. */
  readonly configFile?: FileText | undefined
  /** What `--preset` says; it stands above `--config`. */
  readonly preset?: string | undefined
  /** Values handed over by a program, nested or by dotted name; they stand between the preset and `--set`. */
  readonly given?: Readonly<Record<string, unknown>> | undefined
  /** What each `--set` says. */
  readonly set: readonly string[]
  /** Only tightens, and nothing lifts it. */
  readonly managedFile?: FileText | undefined
}

export interface LoadedSettings {
  readonly ok: true
  readonly settings: Settings
  /** Where each value comes from. */
  readonly origin: Readonly<Record<Key, string>>
  /** Where an item of a list stands, such as `config.toml:3:1`; null if it comes from no layer. */
  readonly locate: (key: Key, item: unknown) => string | null
  /** What was left out or looks odd, one sentence or two each. */
  readonly notices: readonly string[]
}

export type SettingsResult =
  | LoadedSettings
  | { readonly ok: false; readonly problems: readonly ConfigProblem[] }
