import type { LoadedSettings } from '../config/load-settings.ts'

/** What the command line passes to the terminal app. */
export interface AppOpening {
  readonly root: string
  readonly stateDir: string
  /** Null begins a new session. */
  readonly session: string | null
  /** Whether the session is found as `--continue` does, if none is named. */
  readonly isContinuing: boolean
  readonly actor: string
  /** Whether every call is approved once without asking. */
  readonly isAgreeing: boolean
  /** As in `anthropic/NAME`; null if none was given, so that each session has its own. */
  readonly model: string | null
  readonly baseUrl: string | null
  readonly protocol: 'native' | 'fenced' | 'auto'
  readonly limits: {
    readonly maxTokens?: number
    readonly maxSeconds?: number
    readonly maxCost?: number
  }
  readonly preset: string | null
  /** Loads the settings with a preset; null is as configured. */
  readonly load: (preset: string | null) => Promise<LoadedSettings>
}

/** Runs the terminal app until the user leaves; returns the exit code. */
export type OpenApp = (opening: AppOpening) => Promise<number>
