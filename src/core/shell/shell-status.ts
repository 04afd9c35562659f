/** The sandbox for commands, or why there is none. */
export type ShellStatus =
  | {
      readonly holds: true
      readonly label: string
      readonly isSandboxed: boolean
      /** Which limits hold, in words. */
      readonly limits: string
      /** What keeps the changes of commands apart until they land. */
      readonly layer: 'overlay' | 'copy' | 'none'
      /** Why there is none, or only a copy, as a sentence. */
      readonly layerReason?: string
    }
  | {
      readonly holds: false
      readonly reason: string
      readonly advice: readonly string[]
      /** Whether there is a sandbox, or a layer, could not be found out in time; it may be another time. */
      readonly isUnknown?: true
    }

/** What helps where a sandbox or a layer was not ready in time. */
export const TRY_LATER =
  'Try again in a minute, when the machine has less to do, or raise tools.shell.probe_seconds.'
