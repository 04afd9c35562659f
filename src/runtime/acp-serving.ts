import type { LoadedSettings } from '../config/load-settings.ts'

/** What serving editors needs, as the command line passes it on. */
export interface AcpServing {
  readonly stateDir: string
  /** The folder whose sessions are listed if a client names none. */
  readonly root: string
  /** Who answers questions. */
  readonly actor: string
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
  /** Loads the settings of a root with a preset; null is as configured. */
  readonly load: (root: string, preset: string | null) => Promise<LoadedSettings>
  /** Tells the person who started it; never on standard output. */
  readonly tell: (line: string) => void
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal
}

/** Serves one editor until it goes; returns the exit code. */
export type ServeAcp = (serving: AcpServing) => Promise<number>
