import type { Settings } from '../config/keys.ts'
import { ERRORS } from '../core/error.ts'
import type { ToolError } from '../core/error.ts'
import type { Grant } from '../core/grant.ts'
import type { CallFacts } from './facts.ts'
import { GATES } from './gates/gates.ts'
import { makeAnew } from './gates/gate.ts'
import type { Gate, Recall, Verdict } from './gates/gate.ts'

/** The gate name under which a person's answers are recorded. */
export const APPROVAL_GATE = 'approval'

/** What one gate checked and decided. */
export interface GateFinding {
  readonly gate: string
  readonly fact: string
  readonly verdict: 'pass' | 'ask' | 'deny' | 'fail'
  /** The id of the grant that made asking unnecessary. */
  readonly grant?: string
}

/** The verdict of all gates: run, ask first, or an error that ends the call. */
export interface Judgement {
  readonly verdict: 'run' | 'ask' | 'settle'
  /** Whether the arguments had passed the input schema by then. */
  readonly isValidated: boolean
  readonly error: ToolError | null
  readonly findings: readonly GateFinding[]
  /** The grant that made asking unnecessary; absent if there was none. */
  readonly grant?: Grant
  /** Set if what a call changed is asked about before it lands, whether or not the call was asked about before it ran. */
  readonly asksAtLanding?: true
}

/** Which gates judge, and a cache their findings may share. */
export interface JudgeOptions {
  readonly gates?: readonly Gate[]
  /** If absent, the findings are not shared. */
  readonly cache?: FindingCache
}

/**
 * Runs the facts through the gates in order; the first gate that settles the call ends it, and then no one is asked.
 */
export function judge(
  facts: CallFacts,
  settings: Settings,
  { gates = GATES, cache }: JudgeOptions = {},
): Judgement {
  const findings: GateFinding[] = []
  const before = cache?.last() ?? NONE
  const recall = cache?.recall ?? makeAnew
  let isSame = before.length === gates.length
  let mustAsk = false
  let asksAtLanding = false
  let grant: Grant | undefined
  let isValidated = false
  for (const gate of gates) {
    const verdict = gate.judge(facts, settings, recall)
    if (verdict.is === 'settle') {
      findings.push({ gate: gate.name, fact: verdict.fact, verdict: refusalOf(verdict.error) })
      return { verdict: 'settle', isValidated, error: verdict.error, findings }
    }
    mustAsk ||= verdict.is === 'ask' && verdict.when !== 'landing'
    asksAtLanding ||= verdict.is === 'ask' && verdict.when !== undefined
    isValidated ||= gate.validates === true
    const relied = verdict.is === 'pass' ? verdict.grant : undefined
    grant ??= relied
    const earlier = before[findings.length]
    const isRepeated =
      earlier !== undefined &&
      earlier.gate === gate.name &&
      earlier.fact === verdict.fact &&
      earlier.verdict === verdict.is &&
      earlier.grant === relied?.id
    isSame &&= isRepeated
    findings.push(isRepeated ? earlier : findingOf(gate, verdict, relied))
  }
  if (!isSame) cache?.keep(findings)
  const judgement: Judgement = {
    verdict: mustAsk ? 'ask' : 'run',
    isValidated,
    error: null,
    findings: isSame ? before : findings,
  }
  if (grant === undefined && !asksAtLanding) return judgement
  return {
    ...judgement,
    ...(grant === undefined ? {} : { grant }),
    // What one gate asks before the run does not answer what another asks about the changes.
    ...(asksAtLanding ? { asksAtLanding } : {}),
  }
}

const NONE: readonly GateFinding[] = []

function findingOf({ name }: Gate, { fact, is }: Unsettled, relied: Grant | undefined): GateFinding {
  const finding = { gate: name, fact, verdict: is }
  return relied === undefined ? finding : { ...finding, grant: relied.id }
}

type Unsettled = Exclude<Verdict, { is: 'settle' }>

/**
 * Lets calls share their findings, which stay in memory as long as the log: most calls have the same ones as the call
 * before.
 */
export interface FindingCache {
  /** The findings of the call before. */
  readonly last: () => readonly GateFinding[]
  /** Notes those of a call that has others. */
  readonly keep: (findings: readonly GateFinding[]) => void
  /** Hands out the sentences of the call before. */
  readonly recall: Recall
}

/** Creates a cache; one per engine is enough. */
export function createFindingCache(): FindingCache {
  let last = NONE
  return {
    last: () => last,
    keep: (findings) => {
      last = findings
    },
    recall: createRecall(),
  }
}

interface Recalled {
  readonly one: unknown
  readonly other: unknown
  readonly made: unknown
}

function createRecall(): Recall {
  const recalled = new Map<unknown, Recalled>()
  return <One, Other, Made>(make: (one: One, other: Other) => Made, one: One, other: Other): Made => {
    const known = recalled.get(make)
    // Under a function there is only what that function has made.
    if (known !== undefined && known.one === one && known.other === other) return known.made as Made
    const made = make(one, other)
    recalled.set(make, { one, other, made })
    return made
  }
}

/** Whether an error means that the call was denied, or that it could not be carried out. */
export function refusalOf({ code }: ToolError): 'deny' | 'fail' {
  const { exit } = ERRORS[code]
  return exit === 3 || exit === 4 ? 'deny' : 'fail'
}
