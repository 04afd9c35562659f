import { readFileSync, readdirSync } from 'node:fs'
import { waitFor } from '../../core/wait.ts'

/** What the system reports about a process. */
interface ProcessFacts {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly startedAt: number
  readonly isDead: boolean
}

/** The index of the field, counted from the state. */
const STARTED_AT = 19

/** Whether this system shows its processes as files. */
const hasProc = ((): boolean => {
  try {
    return readFileSync('/proc/self/stat', 'utf8') !== ''
  } catch {
    return false
  }
})()

/** All living descendants of a process. Children of a process that has ended have another parent, and are missing. */
export function findDescendants(pid: number): readonly number[] {
  return descendantsIn(readProcesses(), pid)
}

/**
 * All processes of a command that can be identified: its group, its descendants, and processes that started after it and
 * carry its mark.
 */
export function findMembers(pid: number, mark: string, startedAfter: number): readonly number[] {
  const all = readProcesses()
  const below = new Set(descendantsIn(all, pid))
  const isMember = (one: ProcessFacts): boolean =>
    one.group === pid || below.has(one.pid) || (one.startedAt >= startedAfter && hasMark(one.pid, mark))
  return all.filter((one) => !one.isDead && one.pid !== process.pid && isMember(one)).map((one) => one.pid)
}

/** When a process started, in clock ticks of the system; 0 if that is not known. */
export function startOf(pid: number): number {
  return readProcess(pid)?.startedAt ?? 0
}

function descendantsIn(all: readonly ProcessFacts[], pid: number): readonly number[] {
  const byParent = Map.groupBy(all, (one) => one.parent)
  const found: number[] = []
  const seen = new Set([pid])
  const waiting = [pid]
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const one of byParent.get(parent) ?? []) {
      if (seen.has(one.pid)) continue
      seen.add(one.pid)
      waiting.push(one.pid)
      if (!one.isDead) found.push(one.pid)
    }
  }
  return found
}

/** Whether a process exists and has not ended. */
export function isAlive(pid: number): boolean {
  if (hasProc) return readProcess(pid)?.isDead === false
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Sends a signal, to a whole group if the id is negative; does nothing if the process is gone. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone, or not ours any more.
  }
}

/**
 * Kills a sandbox from the inside out. Stopped, its outer process starts no inner one behind our back, which would wait
 * forever for the outer one to set it up.
 */
export function killSandbox(pid: number, init: number | null): void {
  signalProcess(pid, 'SIGSTOP')
  const inner = [...(init === null ? [] : [init]), ...findDescendants(pid)]
  for (const one of [...inner, -pid, pid]) signalProcess(one, 'SIGKILL')
}

const KILL_MS = 1_000
const POLL_MS = 2

/** Kills what `find` returns until it returns nothing; false if something survives. */
export async function killUntilGone(find: () => readonly number[]): Promise<boolean> {
  for (const untilMs = performance.now() + KILL_MS; ;) {
    const left = find()
    if (left.length === 0) return true
    if (performance.now() > untilMs) return false
    for (const pid of left) signalProcess(pid, 'SIGKILL')
    await waitFor(POLL_MS)
  }
}

function readProcesses(): readonly ProcessFacts[] {
  if (!hasProc) return []
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map((pid) => readProcess(Number(pid))).filter((one) => one !== null)
}

function readProcess(pid: number): ProcessFacts | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name is in parentheses and may contain parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ', STARTED_AT + 1)
    const [state, parent, group] = fields
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      startedAt: Number(fields[STARTED_AT]),
      isDead: state === 'Z' || state === 'X',
    }
  } catch {
    return null
  }
}

function hasMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark)
  } catch {
    return false
  }
}
