import { countSteps } from '../world/watching.ts'

// What is looked at again after a millisecond, or trusted because it is old, must not depend on how busy the machine is:
// while steps are watched, time goes by with the steps, and no file is ever old.
const STEP_MS = 0.02
/** A wait comes to its end all the same. */
const MOST_BEHIND_MS = 2_000
const AN_HOUR_MS = 3_600_000

const hrtime = process.hrtime.bind(process)
const { now } = Date

const realMs = (): number => {
  const [seconds, nanoseconds] = hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

let begun = { watch: 0, ms: realMs() }
let lastMs = begun.ms

/** Never goes back. */
function steppedMs(): number {
  const { watches, steps } = countSteps()
  if (watches !== begun.watch) begun = { watch: watches, ms: Math.max(lastMs, realMs()) }
  lastMs = Math.max(lastMs, begun.ms + steps * STEP_MS, realMs() - MOST_BEHIND_MS)
  return lastMs
}

const stepped = (): [number, number] => {
  const ms = steppedMs()
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)]
}

process.hrtime = Object.assign(stepped, { bigint: process.hrtime.bigint })
Date.now = () => now() - AN_HOUR_MS

/** Sooner than anything that is waited for meanwhile can end. */
const SOON_MS = 1

// What is looked at every so often until something ends is looked at once: how often else would depend on the machine.
globalThis.setInterval = ((tick: () => void) => setTimeout(tick, SOON_MS)) as typeof setInterval
