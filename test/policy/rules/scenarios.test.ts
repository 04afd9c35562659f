import { describe, expect, it } from 'vitest'
import { prune } from '../../../src/policy/rules/fold-history.ts'
import { RULE_KINDS } from '../../../src/policy/rules/rule-table.ts'
import { openCorridor } from './corridor.ts'
import { bookOf } from './rule-bench.ts'
import type { Scenario } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

function play(scenario: Scenario, restartsBetween: boolean) {
  const book = bookOf(scenario.rules)
  const corridor = openCorridor(book, new Set(scenario.bareTools))
  const rows = scenario.steps.map(({ turn, pass, calls, afterSeconds }) => {
    corridor.wait(afterSeconds ?? 0)
    if (restartsBetween) corridor.restart()
    return corridor.runBatch(
      calls.map((call) => (typeof call === 'string' ? { tool: call } : call)),
      turn,
      pass,
    )
  })
  return { rows, corridor, book }
}

describe('rules in a corridor', () => {
  it.each(SCENARIOS.map((scenario) => [scenario.title, scenario] as const))('%s', (_title, scenario) => {
    expect(play(scenario, false).rows).toEqual(scenario.steps.map(({ rows }) => rows))
  })

  it.each(SCENARIOS.map((scenario) => [scenario.title, scenario] as const))(
    'after restarts: %s',
    (_title, scenario) => {
      expect(play(scenario, true).rows).toEqual(scenario.steps.map(({ rows }) => rows))
    },
  )

  it.each(SCENARIOS.map((scenario) => [scenario.title, scenario] as const))(
    'the state read from the log is the one that was lived: %s',
    (_title, scenario) => {
      const { corridor, book } = play(scenario, false)
      const lived = corridor.state
      corridor.restart()
      expect(corridor.state).toEqual(lived)
      expect(prune(corridor.state, book, corridor.now)).toEqual(prune(lived, book, corridor.now))
    },
  )

  it('there is a story for every type of rule', () => {
    const told = new Set(SCENARIOS.flatMap(({ rules }) => rules.map(({ type }) => type)))
    expect(Object.keys(RULE_KINDS).filter((type) => !told.has(type as never))).toEqual([])
  })
})
