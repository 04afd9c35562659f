/** One value in git's configuration. */
export interface GitSetting {
  /** Section and name in lower case, as git prints them. */
  readonly key: string
  /** Empty for a name without a value. */
  readonly value: string
  /** The file that sets it, or null if a variable of the environment does. */
  readonly file: string | null
  /** The name of the setting whose command line gives it to git. */
  readonly givenBy?: string
}
