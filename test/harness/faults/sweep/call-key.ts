import { createHash } from 'node:crypto'
import type { Step } from '../world/watching.ts'

/** What differs between two runs of the same: where the world is, handles, ids, times. */
const PASSING: readonly (readonly [RegExp, string])[] = [
  [/\/proc\/(\d+\/fd|self\/fd|self\/fdinfo)\/\d+/g, 'handle'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '#'],
  [/\b[0-9a-f]{16,}\b/g, '#'],
  [/tongs-(faults|layers|run)-\w{6}/g, 'world'],
  [/[0-9a-hjkmnp-tv-z]{26}/g, '#'],
  [/^\d+|\d{3,}/g, '#'],
]

/** What a call does to what, in the same words in every run; what is written may differ. */
function describeCall({ name, target }: Step): string {
  const what = /write|append/i.test(name) ? (target.split(' ')[0] ?? '') : target
  return `${name} ${PASSING.reduce((text, [passing, word]) => text.replaceAll(passing, word), what)}`
}

/** Counts calls that do the same to the same: the first one is `openSync~3f2a90c1~1`, and the next one ends with 2. */
export function countCalls(): (step: Step) => string {
  const counts = new Map<string, number>()
  return (step) => {
    const digest = createHash('sha256').update(describeCall(step)).digest('hex').slice(0, 8)
    const key = `${step.name.replaceAll(' ', '-')}~${digest}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    return `${key}~${count}`
  }
}
