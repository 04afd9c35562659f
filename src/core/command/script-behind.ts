/** What a file of the project makes of a command that names it, such as a script. */
export interface ScriptBehind {
  /** For people, in a few words. */
  readonly says: string
  /** All that decides it; null if that cannot be known, so that no lasting grant is bound to it. */
  readonly text: string | null
}
