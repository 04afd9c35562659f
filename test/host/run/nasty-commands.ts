import type { CommandBench } from './command-bench.ts'
import { findByCommandLine, oddSeconds } from './command-bench.ts'

/** Commands that do not want to end; each sleeps for a number of seconds by which its processes are known. */
export const nasty: Readonly<Record<string, (seconds: string) => string>> = {
  'that only waits': (s) => `sleep ${s}`,
  'that ignores being asked': (s) => `trap '' TERM INT HUP; sleep ${s}; sleep ${s}`,
  'with a child in another session': (s) => `setsid sleep ${s} & sleep ${s}`,
  'that forks twice and ignores': (s) =>
    `(setsid sh -c "trap '' TERM HUP; sleep ${s}; sleep ${s}" &); sleep ${s}`,
  'that starts its children again': (s) => `trap '' TERM; while :; do sleep ${s} & wait; done`,
  'with many children': (s) =>
    `i=0; while [ $i -lt 40 ]; do setsid sh -c "trap '' TERM; sleep ${s}; :" & i=$((i+1)); done; wait`,
  'that has stopped itself': (s) => `sleep ${s} & kill -STOP $!; kill -STOP $$; sleep ${s}`,
  'that closes its streams': (s) => `exec >/dev/null 2>&1 </dev/null; trap '' TERM; sleep ${s}; sleep ${s}`,
  'that prints without end': (s) => `trap '' TERM PIPE; setsid sleep ${s} & yes`,
  'that becomes another program': (s) =>
    `nohup setsid sleep ${s} >/dev/null 2>&1 & exec setsid -w sleep ${s}`,
}

/** The same for a sandbox only: without one, nothing marks such a process any more. */
export const unmarked: typeof nasty = {
  'that drops every trace of where it came from': (s) =>
    `env -i setsid sh -c "trap '' TERM; exec env -i setsid sleep ${s}" & (env -i setsid sleep ${s} &); sleep ${s}`,
}

/** How one of them was stopped. */
export interface Stopped {
  readonly name: string
  readonly survivors: number
  readonly lateMs: number
  readonly isStopped: boolean
}

/** Stops each of them by time and by hand, some at once, and looks for what is left of them. */
export async function stopAll(
  bench: CommandBench,
  commands: typeof nasty,
  confinement: CommandBench['open'],
): Promise<readonly Stopped[]> {
  const stopOne = async (name: string, by: 'timeout' | 'cancel'): Promise<Stopped> => {
    const seconds = oddSeconds()
    const line = commands[name]?.(seconds) ?? ''
    const afterMs = 250
    const signal = by === 'cancel' ? AbortSignal.timeout(afterMs) : new AbortController().signal
    const startedMs = performance.now()
    const timeoutMs = by === 'timeout' ? afterMs : 60_000
    const end = await bench.sh(line, { confinement, timeoutMs }, { signal })
    return {
      name: `${name}, by ${by}`,
      survivors: findByCommandLine(seconds).length,
      lateMs: Math.max(0, performance.now() - startedMs - afterMs),
      isStopped: by === 'cancel' ? end.isCancelled : end.isTimedOut,
    }
  }
  const waiting = Object.keys(commands).flatMap((name) =>
    (['timeout', 'cancel'] as const).map((by) => ({ name, by })),
  )
  const stopped: Stopped[] = []
  const stopNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      stopped.push(await stopOne(next.name, next.by))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, stopNext))
  return stopped
}

const AT_ONCE = 5
