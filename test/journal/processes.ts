import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { chmodSync, chownSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { NOBODY, ordinaryProgram } from '../harness/ordinary-user.ts'

const CHILD = join(import.meta.dirname, 'journal-child.ts')

/** A process that works on a journal. */
export interface Worker {
  readonly child: ChildProcess
  /** What it has said so far. */
  readonly lines: readonly string[]
  /** Waits until it has said this many lines, or ended. */
  readonly said: (count: number) => Promise<void>
  readonly ended: Promise<void>
}

/** Starts a task of the child program. Its store uses a segment as stores do, or always. */
export function startWorker(
  task: string,
  stateDir: string,
  session: string,
  count = 0,
  segments: 'auto' | 'always' = 'auto',
): Worker {
  const child = spawn(process.execPath, [CHILD, task, stateDir, session, String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, JOURNAL_SEGMENTS: segments },
  })
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const wake = (): void => waiting.forEach((look) => look())
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    wake()
  })
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => {
      hasEnded = true
      wake()
      resolve()
    })
  })
  const said = (wanted: number): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (lines.length < wanted && !hasEnded) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })
  return { child, lines, said, ended }
}

/** Runs a task to its end under the conditions that a line of shell sets up, and gives back what it said. */
export function runUnder(
  conditions: string,
  task: string,
  stateDir: string,
  session: string,
  count = 0,
): string {
  const { stdout } = spawnSync(
    'sh',
    ['-c', `${conditions}; exec "$0" "$@"`, process.execPath, CHILD, task, stateDir, session, String(count)],
    { encoding: 'utf8' },
  )
  return stdout.trim()
}

/** Runs a task as somebody whom permissions bind. Root is not bound, so then it is a user with no rights at all. */
export function runUnprivileged(task: string, stateDir: string, session: string): string {
  const isRoot = process.getuid?.() === 0
  const [node, program] = ordinaryProgram(CHILD)
  const { stdout } = spawnSync(node, [program, task, stateDir, session], {
    encoding: 'utf8',
    ...(isRoot ? { uid: NOBODY, gid: NOBODY, cwd: '/' } : {}),
  })
  return stdout.trim()
}

/** Hands files to whoever `runUnprivileged` runs as. */
export function giveAway(...paths: readonly string[]): void {
  if (process.getuid?.() === 0) for (const path of paths) chownSync(path, NOBODY, NOBODY)
}

/** Lets others look up names in a folder. */
export function letThrough(path: string): void {
  chmodSync(path, 0o755)
}
