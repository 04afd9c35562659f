import type { Check, Run } from '../check.ts'
import { pointerTo, refuseForm, valueOf } from '../keyword.ts'
import type { Given, Keyword, Target } from '../keyword.ts'
import { quote } from '../problem.ts'
import { resolveReference } from '../resources.ts'
import type { Resource, Spot } from '../resources.ts'

function resolveFrom(given: Given, keyword: string): Spot | null {
  const { build, resource } = given
  const reference = valueOf(given, keyword)
  if (typeof reference !== 'string') return refuseForm(given, keyword, 'a string')
  const found = resolveReference(reference, resource, build.resources())
  if (typeof found === 'object') return found
  return build.refuse(pointerTo(given, keyword), `${quote(reference)} ${found}`)
}

function follow(given: Given, keyword: string, spot: Spot): Check {
  const target = given.build.targetAt(spot)
  given.home?.leadsTo.push({ target, at: pointerTo(given, keyword) })
  return (value, run, seen) => target.check(value, run, seen)
}

const compileRef: Keyword = (given, keyword) => {
  const spot = resolveFrom(given, keyword)
  return spot === null ? null : follow(given, keyword, spot)
}

const compileDynamicRef: Keyword = (given, keyword) => {
  const spot = resolveFrom(given, keyword)
  if (spot === null) return null
  const { build } = given
  const resources = build.resources()
  const reference = String(valueOf(given, keyword))
  const name = reference.slice(reference.indexOf('#') + 1)
  const isDynamic = resources.isDynamic && spot.resource.dynamicAnchors.get(name) === spot
  if (!isDynamic) return follow(given, keyword, spot)
  const last = build.targetAt(spot)
  const targets = new Map<Resource, Target>()
  for (const resource of resources.byUri.values()) {
    const anchored = resource.dynamicAnchors.get(name)
    if (anchored !== undefined) targets.set(resource, build.targetAt(anchored))
  }
  return (value, run, seen) => findTarget(targets, run, last).check(value, run, seen)
}

/** The anchor in the outermost resource on the path here that has one of this name. */
function findTarget(targets: ReadonlyMap<Resource, Target>, run: Run, last: Target): Target {
  for (const resource of run.scope) {
    const target = targets.get(resource)
    if (target !== undefined) return target
  }
  return last
}

/** Keywords that refer to schemas elsewhere in the document. */
export const REFERENCE_KEYWORDS: readonly (readonly [string, Keyword])[] = [
  ['$ref', compileRef],
  ['$dynamicRef', compileDynamicRef],
]

/** Finds a chain of references that returns to its start without ever descending into the value. */
export function findEndlessReference(targets: Iterable<Target>): string | null {
  const done = new Set<Target>()
  for (const start of targets) {
    const open = new Set<Target>()
    const way = [{ target: start, next: 0 }]
    for (let last = way.at(-1); last !== undefined; last = way.at(-1)) {
      open.add(last.target)
      const step = done.has(last.target) ? undefined : last.target.leadsTo[last.next]
      last.next += 1
      if (step === undefined) {
        done.add(last.target)
        open.delete(last.target)
        way.pop()
      } else if (open.has(step.target)) return step.at
      else way.push({ target: step.target, next: 0 })
    }
  }
  return null
}
