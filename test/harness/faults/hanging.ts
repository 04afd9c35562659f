import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'

/**
 * How long a process may neither work nor want to. Not the time it takes: one that waits for a busy machine is slow,
 * and one that waits for nothing hangs.
 */
const IDLE_MS = 60_000
/** How much a process may work, in seconds of a processor; one that goes round in circles hangs as well. */
const MOST_WORK_S = 300
const LOOK_MS = 1000
const TICKS_PER_S = 100

/** Kills a process and everything it started once it hangs, and tells what each of them was waiting for. */
export function endWhenHanging(pid: number, tell: (found: string) => void): { readonly forget: () => void } {
  let last = -1
  let idle = 0
  const timer = setInterval(() => {
    const family = familyOf(pid)
    const work = family.reduce((sum, one) => sum + one.work, 0)
    const isIdle = work === last && !family.some(({ isRunning }) => isRunning)
    idle = isIdle ? idle + LOOK_MS : 0
    last = work
    if (idle < IDLE_MS && work < MOST_WORK_S * TICKS_PER_S) return
    clearInterval(timer)
    const why = isIdle ? `waited for ${IDLE_MS / 1000} s` : `worked for ${MOST_WORK_S} s`
    tell(`\nit hangs: it ${why}, and was killed\n${describeFamily(pid)}\n`)
    for (const one of family) end(one.pid)
  }, LOOK_MS)
  return { forget: () => clearInterval(timer) }
}

/** What a process and everything it started are waiting for. */
export function describeFamily(pid: number): string {
  return familyOf(pid)
    .map((one) => describe(one.pid))
    .join('\n')
}

interface Member {
  readonly pid: number
  /** In ticks of the clock. */
  readonly work: number
  /** Whether one of its threads runs, or would with a free processor or a quicker disk. */
  readonly isRunning: boolean
}

/** A process and all below it. */
function familyOf(pid: number): readonly Member[] {
  // The name in parentheses may hold anything.
  const fields = readOr(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, '')
    .split(' ')
  const states = listOr(`/proc/${pid}/task`).map((thread) => stateOf(`/proc/${pid}/task/${thread}`))
  const member = {
    pid,
    work: Number(fields[11] ?? 0) + Number(fields[12] ?? 0),
    isRunning: states.some((state) => state === 'R' || state === 'D'),
  }
  const children = readOr(`/proc/${pid}/task/${pid}/children`).split(' ')
  return [member, ...children.filter((word) => word !== '').flatMap((word) => familyOf(Number(word)))]
}

function stateOf(thread: string): string {
  return /^State:\s+(\S)/m.exec(readOr(join(thread, 'status')))?.[1] ?? '?'
}

/** The command line, where each thread is in the kernel, and which files are open. */
function describe(pid: number): string {
  const place = join('/proc', String(pid))
  const words = readOr(join(place, 'cmdline')).split('\0').join(' ').slice(0, 300)
  const threads = listOr(join(place, 'task')).map((name) => {
    const thread = join(place, 'task', name)
    const call = readOr(join(thread, 'syscall')).trim().split(' ').slice(0, 4).join(' ')
    const at = readOr(join(thread, 'wchan'))
    return `    ${readOr(join(thread, 'comm')).trim()} ${stateOf(thread)} in ${at}, system call ${call}`
  })
  const files = listOr(join(place, 'fd')).map((fd) => `    ${fd} → ${linkOr(join(place, 'fd', fd))}`)
  return [`  ${pid} ${words}`, ...threads, ...files].join('\n')
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended with another one.
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function listOr(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function linkOr(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '?'
  }
}
