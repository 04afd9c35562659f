/** Starts commands that do not end, says so, and waits to be killed; without a number of seconds it only opens a runner. */
import { openCommandBench } from './command-bench.ts'

const [, , place, seconds] = process.argv
const bench = await openCommandBench('sandboxed', place)
if (seconds === undefined) {
  await bench.sh('true')
} else {
  const line = `trap '' TERM INT HUP; (setsid sleep ${seconds} &); sleep ${seconds} & echo up; wait`
  let up = 0
  const onChunk = (): void => {
    up += 1
    if (up === 2) process.stdout.write('ready')
  }
  await Promise.all(
    [bench.sandboxed, bench.open].map((confinement) =>
      bench.sh(line, { confinement, timeoutMs: 60_000 }, { onChunk }),
    ),
  )
}
