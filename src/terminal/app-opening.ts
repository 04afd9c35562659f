import type { LoadedSettings } from '../config/load-settings.ts'

/** What a command line asks the terminal app for. */
export interface AppOpening {
  readonly root: string
  readonly stateDir: string
  /** Null is the usual one, or with `isContinuing` the newest. */
  readonly session: string | null
  readonly isContinuing: boolean
  readonly actor: string
  /** Whether every question is answered with once, without being shown. */
  readonly isAgreeing: boolean
  /** As in `anthropic/NAME`; null where none was named. */
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

/** Opens the terminal app and stays until it is left; gives the exit code. */
export type OpenApp = (opening: AppOpening) => Promise<number>
