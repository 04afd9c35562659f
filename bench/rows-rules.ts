import type { ApprovalRequest, GivenRule, Runtime } from '../src/index.ts'
import { atMost, round, timeInTurns, withLimit } from './measure.ts'
import type { Row } from './measure.ts'
import { makePlace } from './place.ts'

const GRANTS = 1000

/** Fifty rules that all look at calls of the tool that is measured. */
const RULES: readonly GivenRule[] = [
  { tool: 'trivial', type: 'RequiresConsent' },
  ...Array.from({ length: 16 }, (_, index) => ({ tool: '*', type: 'MaxCalls', max: 1000 + index })),
  ...Array.from({ length: 16 }, (_, index) => ({
    tool: 'trivial',
    type: 'RequiresFollowingTools',
    tools: ['glob'],
    priority: index,
  })),
  ...Array.from({ length: 17 }, (_, index) => ({
    tool: '*',
    type: 'ExclusiveGroups',
    groups: [['trivial', 'search']],
    priority: index,
  })),
]

const call = (runtime: Runtime, a: number) =>
  runtime.run([{ id: '1', name: 'trivial', args: { a, b: 2 } }], { session: 's' })

/** Judging with fifty rules and a thousand grants against judging with none, and the same after many calls. */
export async function ruleRows(): Promise<readonly Row[]> {
  const place = makePlace()
  try {
    const bare = await place.open()
    const ruled = await place.open({ rules: RULES, approve: grantEach })
    for (let a = 0; a < GRANTS; a++) await call(ruled, a)
    const early = await timeInTurns(
      { bare: () => call(bare, 1), ruled: () => call(ruled, 1) },
      { rounds: 15, runs: 400, warmUp: 150 },
    )
    for (let count = 0; count < 20_000; count++) await call(ruled, 1)
    const late = await timeInTurns({ ruled: () => call(ruled, 1) }, { rounds: 15, runs: 400, warmUp: 25 })
    await bare.close()
    await ruled.close()
    return [
      withLimit(
        atMost('3b 50 rules and 1,000 grants against none', early.ruled, early.bare, 'us per call', 1.3),
        `judging by the rules, finding the grant and noting both take ${round(early.ruled - early.bare)} us, however many calls there were before: after 20,000 more the call takes ${round(late.ruled)}`,
      ),
      atMost('3b the same after 20,000 more calls', late.ruled, early.ruled, 'us per call', 1.2),
    ]
  } finally {
    place.clean()
  }
}

/** Each call is granted for good, with exactly its arguments. */
function grantEach(requests: readonly ApprovalRequest[]) {
  return requests.map(({ scopes }) => {
    const [narrowest] = scopes
    return narrowest === undefined ? 'deny' : ({ answer: 'scope', scope: narrowest.scope } as const)
  })
}
