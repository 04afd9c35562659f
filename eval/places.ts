import { join } from 'node:path'
import { readRecording } from './recording.ts'
import { opencode } from './runners/opencode.ts'
import { pi } from './runners/pi.ts'
import type { Runner } from './runners/runner.ts'
import { tongs } from './runners/tongs.ts'
import type { PeerRecordings } from './table.ts'

export const TASKS = join(import.meta.dirname, 'tasks')
export const RECORDINGS = join(import.meta.dirname, 'recordings')

/** The runners by name; ours first. */
export const RUNNERS: ReadonlyMap<string, Runner> = new Map(
  [tongs, pi, opencode].map((runner) => [runner.name, runner]),
)

/** What was recorded of the runners other than one. */
export function peerRecordings(tasks: readonly string[], than: string): PeerRecordings {
  const others = RUNNERS.keys().filter((name) => name !== than)
  return new Map(
    others.map((runner) => {
      const found = tasks.flatMap((task) => readRecording(RECORDINGS, task, runner) ?? [])
      return [runner, new Map(found.map((recording) => [recording.task, recording]))]
    }),
  )
}
