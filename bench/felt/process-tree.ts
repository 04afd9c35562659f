import { readdirSync, readFileSync } from 'node:fs'

const TICK_MS = 10
const LOOK_MS = 50
const NS_PER_MS = 1e6

/** The processor time in milliseconds that a process and all processes below it have used so far. */
export function cpuOfTree(pid: number): number {
  return sum(treeOf(pid).map((id) => timesOf(id)?.own ?? 0)) * TICK_MS
}

/** The milliseconds that the main thread of a process has worked, and was ready to while others had the processor. */
export function scheduleOf(pid: number): { readonly cpuMs: number; readonly queuedMs: number } {
  const [worked = 0, queued = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1')
    .split(' ')
    .map(Number)
  return { cpuMs: worked / NS_PER_MS, queuedMs: queued / NS_PER_MS }
}

/** The same of the processes that ended below this one. */
export function cpuOfEnded(): number {
  return (timesOf(process.pid)?.ended ?? 0) * TICK_MS
}

/** The megabytes that a process and all below it take up; memory that several share is counted once. */
export function megabytesOfTree(pid: number): number {
  return sum(treeOf(pid).map(kilobytesOf)) / 1024
}

/** Watches the memory of a process and all below it, until it is told to stop. */
export function watchPeak(pid: number): { readonly stop: () => number } {
  let peak = 0
  const look = (): void => {
    peak = Math.max(peak, megabytesOfTree(pid))
  }
  const timer = setInterval(look, LOOK_MS)
  return {
    stop() {
      clearInterval(timer)
      return peak
    },
  }
}

/** A process and everything below it. */
function treeOf(top: number): readonly number[] {
  const below = new Map<number, number[]>()
  for (const name of readdirSync('/proc')) {
    const id = Number(name)
    const times = Number.isInteger(id) ? timesOf(id) : null
    if (times !== null) below.set(times.parent, [...(below.get(times.parent) ?? []), id])
  }
  const found = [top]
  for (const id of found) found.push(...(below.get(id) ?? []))
  return found
}

function timesOf(id: number) {
  try {
    const fields = readFileSync(`/proc/${id}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? []
    const field = (at: number): number => Number(fields[at])
    return { parent: field(1), own: field(11) + field(12), ended: field(13) + field(14) }
  } catch {
    // It has ended meanwhile.
    return null
  }
}

function kilobytesOf(id: number): number {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'latin1'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, one) => total + one, 0)
}
