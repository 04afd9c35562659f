import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Answer } from './server/chat.ts'

/** One request of a recording. */
export interface RecordedRequest {
  readonly bytes: number
  /** Null where the runner was interrupted instead. */
  readonly answer: Answer | null
}

/** What a runner needed for a task. */
export interface Outcome {
  readonly solved: boolean
  readonly requests: number
  readonly firstBytes: number
  readonly bytesIn: number
  readonly bytesOut: number
  readonly calls: number
  readonly failed: number
  readonly questions: number
  /** Seconds without those in which the model was waited for. */
  readonly ownSeconds: number
}

/** A task done once by a runner: what it needed, and what it was answered. */
export interface Recording {
  readonly task: string
  readonly runner: string
  readonly version: string
  readonly outcome: Outcome
  readonly requests: readonly RecordedRequest[]
}

/** Reads a recording: one line about all, then one for each request. Null if there is none. */
export function readRecording(folder: string, task: string, runner: string): Recording | null {
  const file = fileOf(folder, task, runner)
  if (!existsSync(file)) return null
  const [head = '{}', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n')
  return {
    ...(JSON.parse(head) as Omit<Recording, 'requests'>),
    requests: lines.map((line) => JSON.parse(line) as RecordedRequest),
  }
}

export function writeRecording(folder: string, { requests, ...head }: Recording): void {
  const file = fileOf(folder, head.task, head.runner)
  mkdirSync(dirname(file), { recursive: true })
  const lines = [head, ...requests].map((line) => JSON.stringify(line))
  writeFileSync(file, `${lines.join('\n')}\n`)
}

function fileOf(folder: string, task: string, runner: string): string {
  return join(folder, task, `${runner}.jsonl`)
}
