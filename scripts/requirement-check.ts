import { readTitle } from './requirement-titles.ts'

/** One thing the product has to do, in a short sentence, and the part of the work it belongs to. */
export interface Requirement {
  readonly id: string
  readonly part: string
  readonly says: string
}

/** What is not proven yet, with reasons; the parts that are finished have nothing here. */
export interface OpenList {
  readonly resolvedParts: readonly string[]
  readonly open: Readonly<Record<string, string>>
}

/** A test as the runner reports it. */
export interface RanTest {
  readonly title: string
  readonly status: string
  readonly file: string
}

/** Everything the judgement looks at. */
export interface Evidence {
  readonly requirements: readonly Requirement[]
  readonly now: OpenList
  /** The open list in every earlier version that is known, in any order. */
  readonly earlier: readonly OpenList[]
  readonly tests: readonly RanTest[]
  /** Whether a skipped test is a fault. */
  readonly isStrict: boolean
}

/** What the tests prove, and what has to be put right. */
export interface Judgement {
  readonly proven: ReadonlySet<string>
  /** Still listed as open although a test proves them. */
  readonly closable: readonly string[]
  readonly faults: readonly string[]
}

/** These are kept by design or outside the product; no test is asked for. */
export const EXEMPT = 'exempt'

/** Compares what passing tests claim with what is asked for. */
export function judgeRequirements(evidence: Evidence): Judgement {
  const { requirements, now, tests } = evidence
  const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]))
  const faults: string[] = []
  const claimed = { passed: new Set<string>(), failed: new Set<string>() }
  for (const test of tests) {
    const { ids, faults: titleFaults } = readTitle(test.title, new Set(byId.keys()))
    faults.push(...titleFaults.map((fault) => `${test.file}, test ${JSON.stringify(test.title)}: ${fault}`))
    if (test.status === 'passed' || test.status === 'failed')
      for (const id of ids) claimed[test.status].add(id)
    else if (evidence.isStrict)
      faults.push(`${test.file}, test ${JSON.stringify(test.title)}: was not run (${test.status})`)
  }
  const proven = claimed.passed.difference(claimed.failed)
  const closable = Object.keys(now.open).filter((id) => proven.has(id))
  if (closable.length > 0) {
    faults.push(`proven but still open, closed by npm run requirements -- --update: ${closable.join(', ')}`)
  }
  faults.push(...judgeOpenList(now, byId), ...judgeGrowth(now, evidence.earlier))
  for (const { id, part, says } of requirements) {
    if (part === EXEMPT || proven.has(id) || id in now.open) continue
    const why = claimed.failed.has(id) ? 'a test that names it fails' : 'no passing test names it'
    faults.push(`${id} (${part}: ${says}) is not proven: ${why}`)
  }
  return { proven, closable, faults }
}

function judgeOpenList(list: OpenList, byId: ReadonlyMap<string, Requirement>): readonly string[] {
  const faults: string[] = []
  const parts = new Set([...byId.values()].map(({ part }) => part))
  for (const part of list.resolvedParts)
    if (!parts.has(part)) faults.push(`resolvedParts names ${part}, which is no part`)
  for (const [id, reason] of Object.entries(list.open)) {
    const part = byId.get(id)?.part
    if (part === undefined) faults.push(`${id} is open but is not a requirement's id`)
    else if (part === EXEMPT) faults.push(`${id} is exempt and need not be open`)
    else if (list.resolvedParts.includes(part))
      faults.push(`${id} is open although its part ${part} is resolved`)
    if (reason.trim() === '') faults.push(`${id} is open without a reason`)
  }
  return faults
}

function judgeGrowth(now: OpenList, earlier: readonly OpenList[]): readonly string[] {
  const added = Object.keys(now.open).filter((id) => earlier.some(({ open }) => !(id in open)))
  const reopened = new Set(earlier.flatMap(({ resolvedParts }) => resolvedParts)).difference(
    new Set(now.resolvedParts),
  )
  return [
    ...added.map((id) => `${id} was added to the open list, which may only shrink`),
    ...[...reopened].map((part) => `the part ${part} was resolved and may not be taken back`),
  ]
}
