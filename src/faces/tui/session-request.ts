/** Which session to open, and how. */
export interface AppSessionRequest {
  readonly session: string
  readonly preset: string | null
  /** Whether nobody chose the preset, so that it is not recorded. */
  readonly isFallback?: boolean
  /** As in `anthropic/NAME`; null is none, `latest` the last one used in the session, or else the usual one. */
  readonly model: string | null
  /** Its server, if that is not the one that the options, the session or the configuration name. */
  readonly baseUrl?: string | null
  readonly contextTokens?: number | null
}

/** The part of it that is about the model. */
export type ModelRequest = Pick<AppSessionRequest, 'model' | 'baseUrl' | 'contextTokens'>
