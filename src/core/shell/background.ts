import type { ProcessEnd, SpawnRequest } from '../powers.ts'

/** How a background command is, and what it has printed since it was last asked for that. */
export interface BackgroundReport {
  /** The call that started it. */
  readonly handle: string
  readonly state: 'running' | 'ended'
  readonly stdout: string
  readonly stderr: string
  readonly runningMs: number
  /** What keeps its changes apart, until they are dropped when it ends. */
  readonly layer: 'overlay' | 'copy' | 'none'
  /** What confines it, in words. */
  readonly sandbox: string
  /** Null while it runs. */
  readonly end: BackgroundEnd | null
}

/** How a background command ended. `failed`: it could not be run to its end; `lost`: the process that ran it died. */
export interface BackgroundEnd {
  readonly how: 'exited' | 'stopped' | 'closed' | 'timed_out' | 'failed' | 'lost'
  readonly exitCode: number | null
  readonly signal: string | null
  /** What the process was like at its end; null if that is not known. */
  readonly process: ProcessEnd | null
}

/** What is wanted of a background command. */
export interface BackgroundWish {
  /** How long to wait for new output or its end, if there is none. */
  readonly waitMs: number
  readonly stop: boolean
}

/** Commands that go on when their call has ended. */
export interface BackgroundPowers {
  /** Starts one, and waits a moment for its first output. */
  readonly start: (request: SpawnRequest) => Promise<BackgroundReport>
  readonly read: (handle: string, wish: BackgroundWish) => Promise<BackgroundReport>
}

/** A background command of this process, for people. */
export interface BackgroundRow {
  readonly handle: string
  readonly session: string
  /** Its words, without secrets. */
  readonly command: string
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly state: 'running' | 'ended'
  /** How it ended, in words; null while it runs. */
  readonly ended: string | null
}

/** The end in words, as the end of a sentence. */
export function describeBackgroundEnd({
  how,
  exitCode,
  signal,
}: Pick<BackgroundEnd, 'how' | 'exitCode' | 'signal'>): string {
  const code = exitCode === null ? (signal === null ? '' : ` by ${signal}`) : ` with exit code ${exitCode}`
  switch (how) {
    case 'exited':
      return `ended${code}`
    case 'stopped':
      return `was stopped${code}`
    case 'closed':
      return 'was stopped with its session'
    case 'timed_out':
      return 'was stopped after its time was up'
    case 'failed':
      return 'could not be run to its end'
    case 'lost':
      return 'ended with the process that ran it; its exit code is unknown'
  }
}
